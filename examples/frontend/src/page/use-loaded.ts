import { request, type Bff, type Operation } from 'partner-bff-client';
import { useBff } from 'partner-bff-client/react';
import { useEffect, useMemo, useRef, useState } from 'react';

/** Something that is loading, has loaded, or has failed. */
export interface Loaded<Data> {
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/**
 * Loads data for one hirer. Another hirer or another dependency drops what is there; another language, a new `version`
 * and `reload` keep it until the next answer.
 */
export function useLoaded<Data>(
  load: (bff: Bff, signal: AbortSignal) => Promise<Data>,
  dependencies: readonly unknown[],
  version: unknown = 0,
): Loaded<Data> {
  const bff = useBff();
  const { session, language } = bff;
  const key = useMemo(() => ({}), [session, ...dependencies]);
  const [state, setState] = useState<{ key: object; data?: Data; error?: unknown; isLoading: boolean }>();
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const controller = new AbortController();
    const show = (next: { data?: Data; error?: unknown; isLoading: boolean }) => {
      if (controller.signal.aborted) return;
      setState((last) => ({ key, ...(last?.key === key && { data: last.data }), ...next }));
    };
    show({ isLoading: true });
    latest.current(bff, controller.signal).then(
      (data) => show({ data, isLoading: false }),
      (error: unknown) => show({ error, isLoading: false }),
    );
    return () => controller.abort();
  }, [bff, key, language, version, turn]);
  const current = state?.key === key ? state : undefined;
  return {
    data: current?.data,
    error: current?.error,
    isLoading: current?.isLoading ?? true,
    reload: () => setTurn((last) => last + 1),
  };
}

/** The same for one operation; none is sent while it is undefined. Its text and variables depend on what is named. */
export function useQuery<Data, Variables>(
  operation: Operation<Data, Variables> | undefined,
  dependencies: readonly unknown[],
  version?: unknown,
): Loaded<Data | undefined> {
  return useLoaded(
    async (bff, signal) => operation && request(bff, operation, { signal }),
    dependencies,
    version,
  );
}
