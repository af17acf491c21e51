import {
  isRecord,
  json,
  parseJson,
  readContentType,
  type Answer,
  type Incoming,
  type Route,
} from '../http/exchange.js';
import type { World } from '../data/world.js';
import { SCOPES } from './scopes.js';
import type { Credential, Tokens } from './tokens.js';

const MEMBERS = ['hirerId', 'scope', 'userId'] as const;
type BrowserTokenRequest = Record<(typeof MEMBERS)[number], string>;

/** Identifiers are 1 to 255 bytes (interface 17). */
const ID_BYTES_MAX = 255;
/** Letters and digits with the marks of base64, base64url, UUIDs, object identifiers and subjects such as `auth0|1f3a`. */
const OPAQUE = /^[\w.:|~+/=-]{1,255}$/;
/** A phone number, with a plus or of ten digits from 0, once its dots and hyphens are gone. */
const PHONE_NUMBER = /^(\+\d{6,15}|0\d{9})$/;

/** `POST /auth/token`: a browser token for one hirer and some scopes (interface.md 4.2). */
export function authTokenRoute(tokens: Tokens, world: () => World, lifetimeSeconds: () => number): Route {
  return {
    name: 'auth-token',
    path: '/auth/token',
    methods: ['POST'],
    handle: (incoming) => {
      const credential = tokens.read(incoming.headers.authorization);
      const refusal = refuseCaller(credential, incoming);
      if (refusal !== undefined) return refusal;
      const request = readRequest(incoming);
      if (typeof request === 'string') return refuse(400, 'BAD_USER_INPUT', request);
      if (!world().isRelated(request.hirerId)) {
        return refuse(403, 'FORBIDDEN', 'The partner has no relationship with this hirer.');
      }
      const scopes = new Set(request.scope.split(' '));
      const grant = { hirerId: request.hirerId, userId: request.userId, scopes };
      return json(200, {
        access_token: tokens.issueBrowser(grant, lifetimeSeconds()),
        expires_in: lifetimeSeconds(),
        token_type: 'Bearer',
      });
    },
  };
}

function refuseCaller(credential: Credential, incoming: Incoming): Answer | undefined {
  if (credential.state !== 'valid' || credential.token.kind !== 'partner') {
    return refuse(401, 'UNAUTHENTICATED', 'A valid partner token is required.', {
      'WWW-Authenticate': 'Bearer',
    });
  }
  const { mediaType, utf8 } = readContentType(incoming.headers['content-type']);
  if (mediaType !== 'application/json' || !utf8) {
    return refuse(415, 'BAD_USER_INPUT', 'The body must be application/json in UTF-8.');
  }
  return undefined;
}

/** The request, or a sentence on what is wrong with it. */
function readRequest(incoming: Incoming): BrowserTokenRequest | string {
  const body = parseJson(incoming.body)?.value;
  if (!isRecord(body)) return 'The body must be a JSON object.';
  for (const name of Object.keys(body)) {
    if (!MEMBERS.some((known) => known === name)) return 'The body has an unknown member.';
  }
  for (const name of MEMBERS) {
    const value = body[name];
    if (typeof value !== 'string' || value === '') return `${name} must be a non-empty string.`;
  }
  const request = body as BrowserTokenRequest;
  return faultOf(request) ?? request;
}

function faultOf({ hirerId, scope, userId }: BrowserTokenRequest): string | undefined {
  if (Buffer.byteLength(hirerId) > ID_BYTES_MAX) return 'hirerId is too long.';
  if (scope.split(' ').some((name) => !SCOPES.some((known) => known === name))) {
    return 'scope must be known scopes separated by single spaces.';
  }
  if (!OPAQUE.test(userId) || PHONE_NUMBER.test(userId.replace(/[.-]/g, ''))) {
    return 'userId must be an anonymous identifier, such as a number or a UUID, without personal data.';
  }
  return undefined;
}

function refuse(status: number, code: string, message: string, headers: Answer['headers'] = {}): Answer {
  return json(status, { code, message }, headers);
}
