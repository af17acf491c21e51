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
 * The result of `make` for the present session and language, such as a GraphQL client over
 * `graphqlFetch`; another one when either changes, so that nothing of one hirer stays on view for the next.
 */
export function useHirerClient<Client>(make: (bff: Bff) => Client): Client {
  const bff = useBff();
  return useMemo(() => make(bff), [bff, bff.session, bff.language]);
}

/**
 * Calls `onEvent` for each event of the user's hirers while the component is mounted.
 * @returns whether the stream is open, and if not why: it is opened again unless the service refuses the user
 */
export function useEvents(
  onEvent: (event: BffEvent) => void,
  options: Omit<EventsOptions, 'signal' | 'onBreak'> = {},
): { readonly isOpen: boolean; readonly error: unknown } {
  const bff = useBff();
  const latest = useRef({ onEvent, options });
  latest.current = { onEvent, options };
  const [state, setState] = useState<{ isOpen: boolean; error: unknown }>({
    isOpen: false,
    error: undefined,
  });
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
