import { timingSafeEqual, createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { isRecord, parseJson, readContentType } from '../http/route.js';
import type { Client } from '../playground-options.js';

/**
 * The members of a token request (RFC 6749, 4.4): a JSON or form body; client id and secret may be in a Basic header
 * (2.3.1). Undefined when the body cannot be read.
 */
function readMembers({ headers, body }: FastifyRequest): Record<string, unknown> | undefined {
  const { mediaType, utf8 } = readContentType(headers['content-type']);
  if (!utf8 || !Buffer.isBuffer(body)) return undefined;
  switch (mediaType) {
    case 'application/json': {
      const value = parseJson(body)?.value;
      return isRecord(value) ? value : undefined;
    }
    case 'application/x-www-form-urlencoded': {
      const form = new URLSearchParams(body.toString('utf8'));
      return { ...Object.fromEntries(form), ...readBasic(headers.authorization) };
    }
    default:
      return undefined;
  }
}

function readBasic(authorization: string | undefined): Record<string, string> {
  const encoded = /^basic +(.+)$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return {};
  // An id has no colon; a secret may (RFC 7617, 2).
  const [, id = '', secret = ''] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  return { client_id: decodeFormValue(id), client_secret: decodeFormValue(secret) };
}

function decodeFormValue(text: string): string {
  return new URLSearchParams(`v=${text}`).get('v') ?? '';
}

const REQUIRED = ['grant_type', 'client_id', 'client_secret', 'audience'];

/** `POST /oauth/token`: client credentials for a partner token (interface 10). */
export function tokenRoute(client: Client): RouteOptions {
  return {
    method: 'POST',
    url: '/oauth/token',
    config: { name: 'oauth-token' },
    handler: (request, reply) =>
      answerClient(request, reply, client, 'partner', () => {
        const { partnerTokenSeconds: seconds } = request.state.switches;
        return { access_token: request.state.tokens.issuePartner(seconds), expires_in: seconds };
      }),
  };
}

/** True if two texts are the same, in a time that does not tell where they differ. */
function isSame(given: unknown, expected: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(String(given)), hash(expected));
}

/**
 * Gives a client its token, or the reason why not (RFC 6749, 4.4 and 5.2).
 * @param kind a machine may leave members out, and name a scope
 * @param issue makes the members of the answer
 */
export async function answerClient(
  request: FastifyRequest,
  reply: FastifyReply,
  client: Client,
  kind: 'partner' | 'machine',
  issue: () => object | Promise<object>,
): Promise<object> {
  const refused = refusalOf(readMembers(request), client, kind);
  if (refused === undefined) return { ...(await issue()), token_type: 'Bearer' };
  const [status, error, error_description] = refused;
  return reply.code(status).send({ error, error_description });
}

function refusalOf(
  members: Record<string, unknown> | undefined,
  client: Client,
  kind: 'partner' | 'machine',
): [status: number, error: string, description: string] | undefined {
  if (members === undefined) return [400, 'invalid_request', 'The body cannot be read.'];
  const missing =
    kind === 'partner' && REQUIRED.find((name) => typeof members[name] !== 'string' || members[name] === '');
  if (missing) return [400, 'invalid_request', `Missing required parameter: ${missing}`];
  if (kind === 'partner' && members['scope'] !== undefined) {
    return [400, 'invalid_scope', 'Partner tokens know no scopes; browser tokens do.'];
  }
  if (members['grant_type'] !== 'client_credentials') {
    return [403, 'unauthorized_client', 'Grant type is not allowed for the client.'];
  }
  const isClient = isSame(members['client_id'], client.clientId);
  if (!isSame(members['client_secret'], client.clientSecret) || !isClient) {
    return [401, 'access_denied', 'Unauthorized'];
  }
  if ((members['audience'] ?? client.audience) !== client.audience) {
    return [403, 'access_denied', 'Client is not authorized to access the audience named.'];
  }
  return undefined;
}
