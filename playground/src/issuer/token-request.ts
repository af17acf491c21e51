import { json, type Answer, type Route } from '../http/exchange.js';
import type { Tokens } from '../tokens/tokens.js';
import { isSame, readMembers, refuse } from './client-credentials.js';

/** A client of this issuer. */
export interface PartnerClient {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly audience: string;
}

/** `POST /oauth/token`: client credentials for a partner token (interface 10). */
export function tokenRoute(client: PartnerClient, tokens: Tokens, lifetimeSeconds: () => number): Route {
  return {
    name: 'oauth-token',
    path: '/oauth/token',
    methods: ['POST'],
    handle: (incoming) => {
      const members = readMembers(incoming);
      if (members === undefined) return refuse(400, 'invalid_request', 'The body cannot be read.');
      return refusal(members, client) ?? grant(tokens, lifetimeSeconds());
    },
  };
}

function grant(tokens: Tokens, lifetimeSeconds: number): Answer {
  return json(200, {
    access_token: tokens.issuePartner(lifetimeSeconds),
    expires_in: lifetimeSeconds,
    token_type: 'Bearer',
  });
}

const KNOWN_MEMBERS = new Set(['grant_type', 'client_id', 'client_secret', 'audience']);

function refusal(members: Record<string, unknown>, client: PartnerClient): Answer | undefined {
  for (const name of KNOWN_MEMBERS) {
    if (typeof members[name] !== 'string' || members[name] === '') {
      return refuse(400, 'invalid_request', `Missing required parameter: ${name}`);
    }
  }
  if (members['scope'] !== undefined) {
    return refuse(400, 'invalid_scope', 'Partner tokens know no scopes; browser tokens do.');
  }
  if (members['grant_type'] !== 'client_credentials') {
    return refuse(403, 'unauthorized_client', 'Grant type is not allowed for the client.');
  }
  const isClient = isSame(members['client_id'], client.clientId);
  if (!isSame(members['client_secret'], client.clientSecret) || !isClient) {
    return refuse(401, 'access_denied', 'Unauthorized');
  }
  if (members['audience'] !== client.audience) {
    return refuse(403, 'access_denied', 'Client is not authorized to access the audience named.');
  }
  return undefined;
}
