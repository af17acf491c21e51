import type { RelationshipType } from '../data/hirers.js';
import type { AccessToken } from '../tokens/tokens.js';
import type { Context } from './context.js';
import { graphqlError } from './errors.js';

/** The tokens that may select a field. `partner`: partner tokens only. A scope: also browser tokens that have it. */
export type Access = { kind: 'anyone' } | { kind: 'partner' } | { kind: 'scope'; scope: string };

/** Throws unless the caller's token gives access to the field (interface.md 5.1, 5.6). */
export function assertAccess(access: Access, context: Context): void {
  if (access.kind === 'anyone') return;
  const token = tokenOf(context);
  if (token.kind === 'partner') return;
  if (access.kind === 'partner') throw graphqlError('FORBIDDEN', 'This needs a partner token.');
  if (!token.scopes.has(access.scope)) {
    throw graphqlError('FORBIDDEN', `The browser token lacks the scope "${access.scope}".`);
  }
}

/** The caller's token; throws `UNAUTHENTICATED` if it is missing or invalid. */
export function tokenOf({ credential }: Context): AccessToken {
  switch (credential.state) {
    case 'valid':
      return credential.token;
    case 'expired':
      throw graphqlError('UNAUTHENTICATED', `The ${credential.token.kind} token has expired.`);
    case 'none':
      throw graphqlError('UNAUTHENTICATED', 'An access token is needed.');
    case 'unknown':
      throw graphqlError('UNAUTHENTICATED', 'The access token is not valid.');
  }
}

/** True if the caller may see this hirer's objects: it is related to the partner, and the browser token's own. */
export function reachesHirer(hirerId: string, context: Context): boolean {
  const token = tokenOf(context);
  return (token.kind === 'partner' || token.hirerId === hirerId) && context.world.isRelated(hirerId);
}

/** Throws unless the caller reaches the hirer, by at least one of the relationships if any is named. */
export function assertHirer(hirerId: string, context: Context, ...anyOf: readonly RelationshipType[]): void {
  if (!reachesHirer(hirerId, context)) {
    throw graphqlError('FORBIDDEN', 'There is no relationship with the hirer of this object.');
  }
  const relationships = context.world.hirers.get(hirerId)?.relationships ?? [];
  if (anyOf.length > 0 && !anyOf.some((type) => relationships.includes(type))) {
    throw graphqlError('FORBIDDEN', `The relationship with this hirer lacks ${anyOf.join(' or ')}.`);
  }
}
