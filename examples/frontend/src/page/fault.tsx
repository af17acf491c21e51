import { BffError } from 'partner-bff-client';
import {
  createContext,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useSyncExternalStore,
  type ReactNode,
} from 'react';
import { useBff } from 'partner-bff-client/react';
import { useTexts, type TextKey } from '../texts.ts';

/** What happened, as far as the user is concerned: what several views have in common is told once. */
type Cause = Extract<TextKey, `cause${string}`>;

/** By the service's word for it (docs/errors.md); `FORBIDDEN` without a reason is the upstream's own. */
const CAUSES: Readonly<Record<string, Cause>> = {
  NETWORK_ERROR: 'causeOffline',
  unavailable: 'causeUnavailable',
  upstream_error: 'causeUnavailable',
  upstream_timeout: 'causeUnavailable',
  internal_error: 'causeUnavailable',
  rate_limited: 'causeLimited',
  unauthenticated: 'causeSignedOut',
  hirer_forbidden: 'causeNoAccess',
  scope_forbidden: 'causeNoRole',
  hirer_not_connected: 'causeRelationship',
  FORBIDDEN: 'causeRelationship',
};

interface Trouble {
  readonly cause: Cause;
  readonly error: BffError;
  readonly retry?: (() => void) | undefined;
}

/** The troubles of all views. */
class Troubles {
  private list: readonly Trouble[] = [];
  private readonly listeners = new Set<() => void>();

  /** Returns a function that takes the trouble back. */
  readonly add = (trouble: Trouble): (() => void) => {
    this.set([...this.list, trouble]);
    return () => this.set(this.list.filter((other) => other !== trouble));
  };

  readonly current = () => this.list;

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Tries again what failed for one of the causes. */
  readonly retry = (...causes: Cause[]) => {
    for (const { cause, retry } of this.list) if (causes.includes(cause)) retry?.();
  };

  private set(list: readonly Trouble[]) {
    this.list = list;
    for (const listener of this.listeners) listener();
  }
}

const Context = createContext(new Troubles());

/** Collects the troubles of the views below, and shows one banner for each cause on top of them. */
export function TroublesProvider({ hirer, children }: { hirer: string; children: ReactNode }) {
  const troubles = useMemo(() => new Troubles(), []);
  useEffect(() => {
    const again = () => troubles.retry('causeOffline');
    window.addEventListener('online', again);
    return () => window.removeEventListener('online', again);
  }, [troubles]);
  return (
    <Context value={troubles}>
      <Banners troubles={troubles} hirer={hirer} />
      {children}
    </Context>
  );
}

/** Call it when the service answers again: what failed for want of an answer is tried again. */
export function useBackAgain(): () => void {
  const troubles = useContext(Context);
  return () => troubles.retry('causeOffline', 'causeUnavailable');
}

function Banners({ troubles, hirer }: { troubles: Troubles; hirer: string }) {
  const bff = useBff();
  const { t } = useTexts();
  const list = useSyncExternalStore(troubles.subscribe, troubles.current);
  const causes = [...new Set(list.map(({ cause }) => cause))];
  return causes.map((cause) => {
    const same = list.filter((trouble) => trouble.cause === cause);
    const { error } = same[0]!;
    return (
      <div key={cause} role="alert" className="fault banner">
        <p>{t(cause, { hirer, seconds: error.retryAfter ?? 60 })}</p>
        {cause === 'causeSignedOut' ? (
          <button onClick={() => bff.signOut()}>{t('signInAgain')}</button>
        ) : (
          same.some(({ retry }) => retry) && (
            <button onClick={() => troubles.retry(cause)}>{t('tryAgain')}</button>
          )
        )}
        <Support error={error} />
      </div>
    );
  });
}

interface FaultProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
  /** For what the user has just done: told here, whatever it is. */
  readonly isHere?: boolean;
}

/** An error of a view. What other views may have too becomes a banner, the rest stands here. */
export function Fault({ error, onRetry, isHere = false }: FaultProps) {
  const troubles = useContext(Context);
  const { t } = useTexts();
  const cause = causeOf(error);
  const isShared = cause !== undefined && !isHere;
  const retry = useRef(onRetry);
  retry.current = onRetry;
  const canRetry = onRetry !== undefined;
  useEffect(() => {
    if (!isShared) return undefined;
    return troubles.add({
      cause,
      error: error as BffError,
      retry: canRetry ? () => retry.current?.() : undefined,
    });
  }, [troubles, error, cause, isShared, canRetry]);
  if (error === undefined || isOver(error) || isShared) return null;
  // the upstream's own messages are written for people, and so are the service's
  const isOwn = cause === undefined || (error as BffError).reason === undefined;
  const seconds = (error as BffError).retryAfter ?? 60;
  return (
    <div role="alert" className="fault">
      <p>{isOwn && cause !== 'causeOffline' ? (error as Error).message : t(cause, { seconds, hirer: '' })}</p>
      {onRetry && <button onClick={onRetry}>{t('tryAgain')}</button>}
      <Support error={error} />
    </div>
  );
}

/** What to tell support, where a request got as far as an answer. */
function Support({ error }: { error: unknown }) {
  const { t } = useTexts();
  const { requestId, status } = error as Partial<BffError>;
  if (!requestId || !status) return null;
  return (
    <p className="soft">
      {t('forSupport')} <code>{requestId}</code>
    </p>
  );
}

function causeOf(error: unknown): Cause | undefined {
  if (!(error instanceof BffError)) return undefined;
  return CAUSES[error.reason ?? error.code];
}

/** True if nobody is waiting for it any more: the user went to another hirer, signed out, or closed a dialog. */
function isOver(error: unknown): boolean {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return code === 'SESSION_ENDED' || name === 'AbortError';
}
