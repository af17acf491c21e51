import { askJson, withDeadline } from './ask.js';
import type { Bff } from './bff.js';

/** A hirer that the user belongs to. */
export interface Hirer {
  readonly hirerId: string;
  /** Null while the upstream does not provide it. */
  readonly name: string | null;
  readonly roles: readonly string[];
  /** The scopes that this user may request for browser tokens of this hirer. */
  readonly scopes: readonly string[];
}

/**
 * The hirers of the user (`GET /hirers`).
 * @throws BffError
 */
export function listHirers(bff: Bff, options: { signal?: AbortSignal } = {}): Promise<Hirer[]> {
  const signal = withDeadline(bff, bff, options.signal);
  return askJson(bff, '/hirers', { method: 'GET', signal });
}
