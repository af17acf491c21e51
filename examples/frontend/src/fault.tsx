import { BffError } from 'partner-bff-client';

/** An error, with the action to take and a button to try again where that can help. */
export function Fault({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  if (error === undefined || isOver(error)) return null;
  const requestId = error instanceof BffError ? error.requestId : undefined;
  return (
    <div role="alert" className="fault">
      <p>{explain(error)}</p>
      {onRetry && <button onClick={onRetry}>Try again</button>}
      {requestId && (
        <p className="soft">
          For support: <code>{requestId}</code>
        </p>
      )}
    </div>
  );
}

/** Says what happened and what the user can do about it. `reason` is the service's word for it (docs/errors.md). */
function explain(error: unknown): string {
  if (!(error instanceof BffError)) return (error as Error).message;
  switch (error.reason ?? error.code) {
    case 'NETWORK_ERROR':
      return 'There is no connection. Check your network, then try again.';
    case 'hirer_forbidden':
      return 'You have no access to this hirer. Choose another one, or ask an administrator to add you.';
    case 'hirer_not_connected':
      return 'This hirer has not connected its account yet. Ask someone there to connect it.';
    case 'scope_forbidden':
      return 'Your role does not allow this. Ask an administrator for another role.';
    case 'FORBIDDEN': // by the upstream
      return 'This hirer has not granted permission for this. Ask someone there to allow it.';
    case 'unauthenticated':
      return 'You are no longer signed in. Sign out and in again.';
    case 'rate_limited':
      return `That was too much at once. Try again in ${error.retryAfter ?? 60} seconds.`;
    case 'unavailable':
    case 'upstream_error':
    case 'upstream_timeout':
      return 'The service cannot answer at the moment. Try again shortly.';
    case 'not_found':
      return 'This link has expired. Load the page again.';
    default:
      return error.message; // written for people, too
  }
}

/** True if nobody is waiting for it any more: the user went to another hirer, signed out, or closed a dialog. */
function isOver(error: unknown): boolean {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return code === 'SESSION_ENDED' || name === 'AbortError';
}
