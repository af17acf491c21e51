import type { RouteOptions } from 'fastify';
import { refusal } from '../http/route.js';
import { SCOPES } from './tokens.js';

/** Letters and digits with the marks of base64, base64url, UUIDs, object identifiers and subjects such as `auth0|1f3a`. */
const OPAQUE = /^[\w.:|~+/=-]{1,255}$/;
/** Identifiers are 1 to 255 bytes (interface 17). */
const TEXT = { type: 'string', minLength: 1, maxLength: 255 };
const BODY = {
  type: 'object',
  additionalProperties: false,
  required: ['hirerId', 'scope', 'userId'],
  properties: { hirerId: TEXT, scope: { type: 'string' }, userId: TEXT },
};
type BrowserTokenRequest = Readonly<Record<'hirerId' | 'scope' | 'userId', string>>;

/** `POST /auth/token`: a browser token for one hirer and some scopes (interface.md 4.2). */
export const authTokenRoute: RouteOptions = {
  method: 'POST',
  url: '/auth/token',
  config: { name: 'auth-token' },
  schema: { body: BODY },
  onRequest: async ({ exchange: { credential } }, reply) => {
    if (credential.state === 'valid' && credential.token.kind === 'partner') return;
    const body = { code: 'UNAUTHENTICATED', message: 'A valid partner token is required.' };
    await reply.code(401).header('WWW-Authenticate', 'Bearer').send(body);
  },
  handler: ({ state: { tokens, world, switches }, body }, reply) => {
    const { hirerId, scope, userId } = body as BrowserTokenRequest;
    const scopes = scope.split(' ');
    if (!scopes.every((name) => SCOPES.some((known) => known === name))) {
      throw refusal(400, 'scope must be known scopes separated by single spaces.');
    }
    if (!OPAQUE.test(userId)) {
      throw refusal(
        400,
        'userId must be an anonymous identifier, such as a number or a UUID, without personal data.',
      );
    }
    if (!world().isRelated(hirerId)) {
      const message = 'The partner has no relationship with this hirer.';
      return reply.code(403).send({ code: 'FORBIDDEN', message });
    }
    const { browserTokenSeconds } = switches;
    return {
      access_token: tokens.issueBrowser({ hirerId, userId, scopes: new Set(scopes) }, browserTokenSeconds),
      expires_in: browserTokenSeconds,
      token_type: 'Bearer',
    };
  },
};
