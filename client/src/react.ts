'use client';
/**
 * React hooks.
 * @packageDocumentation
 */
import {
  createContext,
  createElement,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
  type ReactElement,
  type ReactNode,
} from 'react';
import type { Bff } from './bff.js';
import { streamEvents, type BffEvent, type EventsOptions } from './events.js';
import { listHirers, type Hirer } from './hirers.js';

/** The state of something that is loading, has loaded, or has failed. Data of another session is never kept. */
export interface Loaded<Data> {
  readonly data: Data | undefined;
  /** A `BffError`. */
  readonly error: Error | undefined;
  readonly isLoading: boolean;
  /** Loads it again. */
  readonly reload: () => void;
}

const Context = createContext<Bff | undefined>(undefined);

/** Makes a {@link Bff} known to the hooks below. */
export function BffProvider({
  bff,
  children,
}: {
  readonly bff: Bff;
  readonly children?: ReactNode;
}): ReactElement {
  return createElement(Context.Provider, { value: bff }, children);
}

/**
 * The {@link Bff} of the provider. The component renders again when session or language change: with each
 * `switchHirer`, and on sign-out.
 * @throws Error without a provider
 */
export function useBff(): Bff {
  const bff = useContext(Context);
  if (!bff) throw new Error('useBff needs a BffProvider above it.');
  const subscribe = (onChange: () => void): (() => void) => bff.onChange(onChange);
  const [session, language] = [() => bff.session, () => bff.language];
  useSyncExternalStore(subscribe, session, session);
  useSyncExternalStore(subscribe, language, language);
  return bff;
}

/**
 * The result of `make` for the present session and language, such as a client of `createApolloClient` or
 * `createUrqlClient`; another one when either changes, so that nothing of one hirer stays on view for the next.
 */
export function useHirerClient<Client>(make: (bff: Bff) => Client): Client {
  const bff = useBff();
  return useMemo(() => make(bff), [bff, bff.session, bff.language]);
}

/** The user's hirers. With another language, the list stays until the request in that language ends. */
export function useHirers(): Loaded<Hirer[]> {
  const bff = useBff();
  return useLoaded((signal) => listHirers(bff, { signal }), [bff, bff.signal.aborted], bff.language);
}

/**
 * A browser token of the current hirer, renewed before it expires. For components that need the token itself; panels
 * take `bff.getAuthToken`.
 */
export function useBrowserToken({ scope }: { readonly scope?: string } = {}): Loaded<string> {
  const bff = useBff();
  const [renewAt, setRenewAt] = useState<number>();
  const loaded = useLoaded(
    async (signal) => {
      const { value, renewAt: at } = await bff.token({ scope, signal });
      setRenewAt(at);
      return value;
    },
    [bff, bff.session, scope],
  );
  const { reload } = loaded;
  useEffect(() => {
    if (renewAt === undefined) return undefined;
    const timer = setTimeout(reload, Math.max(1_000, renewAt - Date.now()));
    return () => clearTimeout(timer);
  }, [renewAt, reload]);
  return loaded;
}

/** The state of the stream of events. */
export interface EventsState {
  readonly isOpen: boolean;
  /** The reason why the stream is closed: it is being opened again unless the service refuses the user. */
  readonly error: unknown;
}

/** Calls `onEvent` for each event of the user's hirers while the component is mounted. */
export function useEvents(
  onEvent: (event: BffEvent) => void,
  options: Omit<EventsOptions, 'signal' | 'onBreak'> = {},
): EventsState {
  const bff = useBff();
  const latest = useRef({ onEvent, options });
  latest.current = { onEvent, options };
  const [state, setState] = useState<EventsState>({ isOpen: false, error: undefined });
  useEffect(() => {
    const controller = new AbortController();
    const close = (error?: unknown): void => {
      if (!controller.signal.aborted) setState({ isOpen: false, error });
    };
    const { lastEventId } = latest.current.options;
    const events = streamEvents(bff, {
      signal: controller.signal,
      ...(lastEventId !== undefined && { lastEventId }),
      onOpen: (stream) => {
        setState({ isOpen: true, error: undefined });
        latest.current.options.onOpen?.(stream);
      },
      onBreak: ({ error }) => close(error),
    });
    const read = async (): Promise<void> => {
      for await (const event of events) latest.current.onEvent(event);
    };
    read().then(close, close);
    return () => controller.abort();
  }, [bff]);
  return state;
}

/**
 * Loads data whenever a dependency or `version` changes. A new dependency discards the current data; a new version
 * keeps it until the load ends.
 */
function useLoaded<Data>(
  load: (signal: AbortSignal) => Promise<Data>,
  dependencies: readonly unknown[],
  version?: unknown,
): Loaded<Data> {
  const [turn, setTurn] = useState(0);
  const reload = useRef(() => setTurn((last) => last + 1)).current;
  const key = useKey(dependencies);
  const [state, setState] = useState<{ key: object; data?: Data; error?: Error }>();
  useEffect(() => {
    const controller = new AbortController();
    const end = (outcome: { data?: Data; error?: Error }): void => {
      if (!controller.signal.aborted) setState({ key, ...outcome });
    };
    load(controller.signal).then(
      (data) => end({ data }),
      (error: unknown) => end({ error: error as Error }),
    );
    return () => controller.abort();
  }, [key, turn, version]);
  const current = state?.key === key ? state : undefined;
  return { data: current?.data, error: current?.error, isLoading: !current, reload };
}

/** An object that is new whenever a dependency changes. */
function useKey(dependencies: readonly unknown[]): object {
  const last = useRef<{ dependencies: readonly unknown[]; key: object }>(undefined);
  const isSame = last.current?.dependencies.every((value, at) => Object.is(value, dependencies[at]));
  if (!isSame) last.current = { dependencies, key: {} };
  return last.current!.key;
}
