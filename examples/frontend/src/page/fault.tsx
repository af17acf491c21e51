import { BffError } from 'partner-bff-client';
import { useBff } from 'partner-bff-client/react';
import { createContext, useContext, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';

/** What happened, as far as the user is concerned: what several views have in common is told once. */
type Cause = keyof typeof CAUSES;

const CAUSES = {
  offline: () => 'You’re offline. We’ll continue when you’re back.',
  unavailable: () => 'The service cannot answer at the moment. Try again shortly.',
  limited: (seconds: number) => `Too many requests. Try again in ${seconds} seconds.`,
  signedOut: () => 'You are no longer signed in.',
  noAccess: () => 'You have no access to this hirer. Choose another one, or ask an administrator to add you.',
  noRole: () => 'Your role does not allow this. Ask an administrator for another role.',
  noRelationship: () =>
    'This hirer does not allow us to show or do all of this: ask someone there to permit it.',
};

/** By the service's word for it (docs/errors.md); `FORBIDDEN` without a reason is the upstream's own. */
const CAUSE_OF: Readonly<Record<string, Cause>> = {
  NETWORK_ERROR: 'offline',
  unavailable: 'unavailable',
  upstream_error: 'unavailable',
  upstream_timeout: 'unavailable',
  internal_error: 'unavailable',
  rate_limited: 'limited',
  unauthenticated: 'signedOut',
  hirer_forbidden: 'noAccess',
  scope_forbidden: 'noRole',
  hirer_not_connected: 'noRelationship',
  FORBIDDEN: 'noRelationship',
};

interface Trouble {
  readonly cause: Cause;
  readonly error: BffError;
  readonly retry: (() => void) | undefined;
}

interface TroublesOfViews {
  /** Returns a function that takes the trouble back. */
  readonly add: (trouble: Trouble) => () => void;
  readonly retry: (...causes: Cause[]) => void;
}

const Context = createContext<TroublesOfViews | undefined>(undefined);

/** Collects the troubles of the views below, and shows one banner for each cause on top of them. */
export function Troubles({ children }: { children: ReactNode }) {
  const bff = useBff();
  const [list, setList] = useState<readonly Trouble[]>([]);
  const latest = useRef(list);
  latest.current = list;
  const troubles = useMemo<TroublesOfViews>(
    () => ({
      add: (trouble) => {
        setList((last) => [...last, trouble]);
        return () => setList((last) => last.filter((other) => other !== trouble));
      },
      retry: (...causes) => {
        for (const { cause, retry } of latest.current) if (causes.includes(cause)) retry?.();
      },
    }),
    [],
  );
  useEffect(() => {
    const again = () => troubles.retry('offline');
    window.addEventListener('online', again);
    return () => window.removeEventListener('online', again);
  }, [troubles]);
  const first = list.filter((one, at) => list.findIndex(({ cause }) => cause === one.cause) === at);
  return (
    <Context value={troubles}>
      {first.map(({ cause, error }) => {
        if (cause === 'signedOut') {
          return <Alert key={cause} error={error} action="Sign in again" onAct={() => bff.signOut()} />;
        }
        const canRetry = list.some((one) => one.cause === cause && one.retry);
        return <Alert key={cause} error={error} onAct={canRetry ? () => troubles.retry(cause) : undefined} />;
      })}
      {children}
    </Context>
  );
}

/** Call it when the service answers again: what failed for want of an answer is tried again. */
export function useBackAgain(): () => void {
  const troubles = useContext(Context);
  return () => troubles?.retry('offline', 'unavailable');
}

interface FaultProps {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
  /** For what the user has just done: told here, whatever it is. */
  readonly isHere?: boolean;
}

/** An error of a view. What other views may have too becomes a banner, the rest stands here. */
export function Fault({ error, onRetry, isHere = false }: FaultProps) {
  const troubles = useContext(Context);
  const cause = isHere ? undefined : causeOf(error);
  const latest = useRef(onRetry);
  latest.current = onRetry;
  const canRetry = onRetry !== undefined;
  useEffect(() => {
    if (cause === undefined) return undefined;
    const retry = canRetry ? () => latest.current?.() : undefined;
    return troubles?.add({ cause, error: error as BffError, retry });
  }, [troubles, error, cause, canRetry]);
  if (error === undefined || isOver(error) || cause !== undefined) return null;
  return <Alert error={error} onAct={onRetry} />;
}

interface AlertProps {
  readonly error: unknown;
  readonly action?: string;
  readonly onAct?: (() => void) | undefined;
}

/** What happened, what can be done, and what to tell support where a request got as far as an answer. */
function Alert({ error, action = 'Try again', onAct }: AlertProps) {
  const cause = causeOf(error);
  const { message, requestId, status, retryAfter = 60 } = error as BffError;
  return (
    <div role="alert" className="fault">
      <p>{cause ? CAUSES[cause](retryAfter) : message}</p>
      {onAct && <button onClick={onAct}>{action}</button>}
      {requestId && status ? (
        <p className="soft">
          For support: <code>{requestId}</code>
        </p>
      ) : null}
    </div>
  );
}

function causeOf(error: unknown): Cause | undefined {
  return error instanceof BffError ? CAUSE_OF[error.reason ?? error.code] : undefined;
}

/** True if nobody is waiting for it any more: the user went to another hirer, or signed out. */
function isOver(error: unknown): boolean {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return code === 'SESSION_ENDED' || name === 'AbortError';
}
