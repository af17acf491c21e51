import type { RouteOptions } from 'fastify';
import type { PartnerClient } from '../playground-options.js';
import { isSame, readMembers, refuse, type TokenRefusal } from './client-credentials.js';

/** `POST /oauth/token`: client credentials for a partner token (interface 10). */
export function tokenRoute(client: PartnerClient): RouteOptions {
  return {
    method: 'POST',
    url: '/oauth/token',
    config: { name: 'oauth-token' },
    handler: (request, reply) => {
      const refused = refusalOf(readMembers(request), client);
      if (refused !== undefined) return refuse(reply, refused);
      const { tokens, switches } = request.state;
      return {
        access_token: tokens.issuePartner(switches.partnerTokenSeconds),
        expires_in: switches.partnerTokenSeconds,
        token_type: 'Bearer',
      };
    },
  };
}

function refusalOf(
  members: Record<string, unknown> | undefined,
  client: PartnerClient,
): TokenRefusal | undefined {
  if (members === undefined) return [400, 'invalid_request', 'The body cannot be read.'];
  for (const name of ['grant_type', 'client_id', 'client_secret', 'audience']) {
    if (typeof members[name] !== 'string' || members[name] === '') {
      return [400, 'invalid_request', `Missing required parameter: ${name}`];
    }
  }
  if (members['scope'] !== undefined) {
    return [400, 'invalid_scope', 'Partner tokens know no scopes; browser tokens do.'];
  }
  if (members['grant_type'] !== 'client_credentials') {
    return [403, 'unauthorized_client', 'Grant type is not allowed for the client.'];
  }
  const isClient = isSame(members['client_id'], client.clientId);
  if (!isSame(members['client_secret'], client.clientSecret) || !isClient) {
    return [401, 'access_denied', 'Unauthorized'];
  }
  if (members['audience'] !== client.audience) {
    return [403, 'access_denied', 'Client is not authorized to access the audience named.'];
  }
  return undefined;
}
