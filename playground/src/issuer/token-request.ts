import { timingSafeEqual, createHash } from 'node:crypto';
import {
  isRecord,
  json,
  parseJson,
  readContentType,
  type Answer,
  type Incoming,
  type Route,
} from '../http/exchange.js';
import type { Tokens } from '../tokens/tokens.js';

/** A client of this issuer. */
export interface PartnerClient {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly audience: string;
}

/** `POST /oauth/token`: client credentials for a partner token (interface 10). */
export function tokenRoute(
  clients: readonly PartnerClient[],
  tokens: Tokens,
  lifetimeSeconds: () => number,
): Route {
  return {
    name: 'oauth-token',
    path: '/oauth/token',
    methods: ['POST'],
    refuseRate: (headers) => refuse(429, 'too_many_requests', 'Too many requests.', headers),
    handle: (incoming) => {
      const members = readMembers(incoming);
      if (members === undefined) return refuse(400, 'invalid_request', 'The body cannot be read.');
      const client = clients.find(({ clientId }) => isSame(members['client_id'], clientId));
      return refusal(members, client) ?? grant(tokens, lifetimeSeconds(), client?.clientId);
    },
  };
}

function grant(tokens: Tokens, lifetimeSeconds: number, clientId: string | undefined): Answer {
  return json(200, {
    access_token: tokens.issuePartner(lifetimeSeconds, clientId),
    expires_in: lifetimeSeconds,
    token_type: 'Bearer',
  });
}

/** The members of a JSON or form body; client id and secret may be in a Basic header (RFC 6749, 2.3.1). */
function readMembers(incoming: Incoming): Record<string, unknown> | undefined {
  const { mediaType, utf8 } = readContentType(incoming.headers['content-type']);
  if (!utf8) return undefined;
  switch (mediaType) {
    case 'application/json': {
      const value = parseJson(incoming.body)?.value;
      return isRecord(value) ? value : undefined;
    }
    case 'application/x-www-form-urlencoded': {
      const form = new URLSearchParams(incoming.body.toString('utf8'));
      return { ...Object.fromEntries(form), ...readBasic(incoming.headers.authorization) };
    }
    default:
      return undefined;
  }
}

function readBasic(authorization: string | undefined): Record<string, string> {
  const encoded = /^basic +(.+)$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return {};
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return { client_id: decodeFormValue(id), client_secret: decodeFormValue(secret) };
}

function decodeFormValue(text: string): string {
  return new URLSearchParams(`v=${text}`).get('v') ?? '';
}

const KNOWN_MEMBERS = new Set(['grant_type', 'client_id', 'client_secret', 'audience']);

function refusal(members: Record<string, unknown>, client: PartnerClient | undefined): Answer | undefined {
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
  if (client === undefined || !isSame(members['client_secret'], client.clientSecret)) {
    return refuse(401, 'access_denied', 'Unauthorized');
  }
  if (members['audience'] !== client.audience) {
    return refuse(403, 'access_denied', 'Client is not authorized to access the audience named.');
  }
  return undefined;
}

function isSame(given: unknown, expected: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(String(given)), hash(expected));
}

function refuse(status: number, error: string, description: string, headers: Answer['headers'] = {}): Answer {
  return json(status, { error, error_description: description }, headers);
}
