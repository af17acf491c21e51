import type { Bff } from '../src/client.js';
import { BANKSIA, NUSANTARA } from '../../test/proxy/proxy-stack.js';

/** The names of the two hirers. */
export const NAMES: Readonly<Record<string, string>> = {
  [BANKSIA]: 'Banksia Health Group',
  [NUSANTARA]: 'Nusantara Logistics',
};
/** Which hirer is current, and which is the other. */
export const ORDERS = [
  [BANKSIA, NUSANTARA],
  [NUSANTARA, BANKSIA],
] as const;
/** Ways of a GraphQL client to use its cache. */
export const POLICIES = ['cache-first', 'network-only', 'cache-and-network'] as const;

/** Asks for the hirer of the token. */
export const SELF = 'query Self { self { hirer { name } } }';

/** The answer to `SELF`. */
export interface Self {
  readonly self: { readonly hirer: { readonly name: string } };
}

/** The name in the answer to `SELF`. */
export const nameOf = (data: unknown): string | undefined => (data as Self | undefined)?.self?.hirer.name;

/** A context that names a hirer. */
export const naming = (hirerId: string) => ({ bff: { hirerId } });

/** Every way in which a session ends. */
export const ENDINGS = [(bff: Bff, other: string) => bff.switchHirer(other), (bff: Bff) => bff.signOut()];
