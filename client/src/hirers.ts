import { ask, withDeadline } from './ask.js';
import type { Bff } from './bff.js';
import { readJson } from './read-json.js';

/** A hirer that the user belongs to. */
export interface Hirer {
  readonly hirerId: string;
  /** Null while the upstream does not tell it. */
  readonly name: string | null;
  readonly roles: readonly string[];
  /** What browser tokens of this user at this hirer may be asked for. */
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
