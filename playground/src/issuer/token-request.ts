import type { RouteOptions } from 'fastify';
import type { Client } from '../playground-options.js';
import { answerClient } from './client-credentials.js';

const REQUIRED = ['grant_type', 'client_id', 'client_secret', 'audience'];

/** `POST /oauth/token`: client credentials for a partner token (interface 10). */
export function tokenRoute(client: Client): RouteOptions {
  return {
    method: 'POST',
    url: '/oauth/token',
    config: { name: 'oauth-token' },
    handler: (request, reply) =>
      answerClient(request, reply, client, REQUIRED, () => {
        const { partnerTokenSeconds: seconds } = request.state.switches;
        return { access_token: request.state.tokens.issuePartner(seconds), expires_in: seconds };
      }),
  };
}
