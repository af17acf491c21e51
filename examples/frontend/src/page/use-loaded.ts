import { request, type Bff, type Operation } from 'partner-bff-client';
import { useBff } from 'partner-bff-client/react';
import { useEffect, useMemo, useRef, useState, useTransition } from 'react';

/** The items of a paged list that have arrived so far. */
export interface Pages<Page> {
  readonly pages: readonly Page[];
  readonly isLoading: boolean;
  readonly error: unknown;
  /** Begins again. What there is stays on view meanwhile. */
  readonly reload: () => void;
}

/** Something in one piece. */
export type Loaded<Data> = Omit<Pages<Data>, 'pages'> & { readonly data: Data | undefined };

const START = { pages: [], isLoading: true, error: undefined };

/**
 * Shows pages of one hirer as they arrive. Another hirer or another dependency drops what is there; with another
 * language or `version`, it stays on view until what replaces it is complete.
 */
export function usePages<Page>(
  open: (bff: Bff, signal: AbortSignal) => AsyncIterable<Page>,
  dependencies: readonly unknown[],
  version: unknown = 0,
): Pages<Page> {
  const bff = useBff();
  const { session, language } = bff;
  // what came under another key is never shown: it may be another hirer's
  const key = useMemo(() => ({}), [session, ...dependencies]);
  const [shown, setShown] = useState<Omit<Pages<Page>, 'reload'> & { key: object }>({ ...START, key });
  const [turn, setTurn] = useState(0);
  const latest = useRef(open);
  latest.current = open;
  useEffect(() => {
    const controller = new AbortController();
    const arrived: Page[] = [];
    const show = (isLoading: boolean, error?: unknown) => {
      if (controller.signal.aborted) return;
      setShown((last) => {
        const isShort = last.key === key && (isLoading || error) && last.pages.length > arrived.length;
        return { key, pages: isShort ? last.pages : [...arrived], isLoading, error };
      });
    };
    const read = async () => {
      show(true);
      for await (const page of latest.current(bff, controller.signal)) {
        arrived.push(page);
        show(true);
      }
      show(false);
    };
    read().catch((error: unknown) => show(false, error));
    return () => controller.abort();
  }, [bff, key, language, version, turn]);
  return { ...(shown.key === key ? shown : START), reload: () => setTurn((last) => last + 1) };
}

/** The same for something in one piece. */
export function useLoaded<Data>(
  load: (bff: Bff, signal: AbortSignal) => Promise<Data>,
  dependencies: readonly unknown[],
  version?: unknown,
): Loaded<Data> {
  const once = async function* (bff: Bff, signal: AbortSignal) {
    yield await load(bff, signal);
  };
  const { pages, ...state } = usePages(once, dependencies, version);
  return { ...state, data: pages[0] };
}

/** The same for one operation; none is sent while it is undefined. */
export function useQuery<Data, Variables>(
  operation: Operation<Data, Variables> | undefined,
  dependencies: readonly unknown[],
  version?: unknown,
): Loaded<Data | undefined> {
  const load = async (bff: Bff, signal: AbortSignal) => operation && request(bff, operation, { signal });
  return useLoaded(load, dependencies, version);
}

/** What the user does: whether it is under way, and how it failed. */
export function useAction() {
  const [isPending, startTransition] = useTransition();
  const [error, setError] = useState<unknown>();
  const run = (work: () => Promise<void>) =>
    startTransition(async () => {
      setError(undefined);
      await work().catch(setError);
    });
  return { isPending, error, run };
}

/** A value once it has not changed for a while, such as a text that is being typed. */
export function useSettled<Value>(value: Value, pauseMs = 300): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value, pauseMs]);
  return settled;
}
