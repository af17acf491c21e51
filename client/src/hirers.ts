import { ask, withDeadline } from './ask.js';
import type { Bff } from './bff.js';
import { readJson } from './read-json.js';

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
export async function listHirers(bff: Bff, options: { signal?: AbortSignal } = {}): Promise<Hirer[]> {
  const signal = withDeadline(bff, bff, options.signal);
  const { response } = await ask(bff, '/hirers', { method: 'GET', signal });
  return (await readJson(response, signal)) as Hirer[];
}
