import fc from 'fast-check';
import { pino } from 'pino';
import { allScopes, anEndUser, anUpstream } from '../support/parts.js';
import { ClaimMemberships } from '../../src/hirer-access/sources/claim-memberships.js';
import { isHirerId } from '../../src/http/end-user.js';
import { JwksKeys } from '../../src/auth/keys/jwks-keys.js';
import type { Upstream } from '../../src/upstream/upstream.js';
import { RequestContext } from '../../src/http/request-context.js';
import { retryAfterSeconds } from '../../src/http/header-values.js';
import { readEventsAnswer } from '../../src/webhooks/reconcile/events-query.js';
import { ecKeys, jwkOf } from '../support/sign-token.js';
import { headerText } from './generators/http-texts.js';
import {
  DEEP_JSON,
  JSON_PIECES,
  anyJsonText,
  arrayText,
  numberText,
  objectLike,
  objectText,
  quoted,
  stringText,
  valueText,
  bytesOf,
} from './generators/json-texts.js';
import { growsLinearly } from './growth.js';
import { readOrRefuse, target } from './target.js';

const NOW = Date.parse('2026-01-02T03:04:05Z');
const SECRET = 'client-secret-nobody-may-see';
const PARTNER_TOKEN = 'partner-token-nobody-may-see';
const GRANTED = 'granted-token-nobody-may-see';
const SCOPES = ['query:ontologies', 'query:organizations'];

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

const status = fc.oneof(fc.constant(200), fc.constantFrom(201, 204, 302, 400, 401, 403, 404, 429, 500, 503));
const retryAfter = fc.oneof(
  fc.nat().map(String),
  fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
  fc.constantFrom('-1', '1e9', '9'.repeat(400), 'soon', '', ' 5', '0', '1.5', 'Infinity'),
  headerText,
);
const headers = fc
  .record({ 'retry-after': retryAfter, 'content-encoding': fc.constant('gzip') }, { requiredKeys: [] })
  .map((some) => some as Record<string, string>);

function answerOf(body: fc.Arbitrary<string>): fc.Arbitrary<Answer> {
  return fc.record({
    status,
    headers,
    body: fc.oneof(body, body, anyJsonText).map(bytesOf),
  });
}

const lifeText = fc.oneof(
  numberText,
  quoted(fc.nat().map(String)),
  fc.constantFrom('3600', '0', '-1', '"1e3"'),
);
const grantText = objectLike({
  access_token: fc.oneof(fc.constant(JSON.stringify(GRANTED)), stringText),
  token_type: fc.constantFrom('"Bearer"', '"bearer"', '"mac"'),
  expires_in: lifeText,
  scope: quoted(fc.constantFrom(SCOPES.join(' '), 'query:ontologies', ' ')),
  error: fc.constant('"invalid_client"'),
});

const nodeText = objectLike({
  id: objectLike({ value: stringText }),
  typeCode: stringText,
  createDateTime: quoted(fc.constantFrom('2026-01-02T03:04:05Z', '2026-01-02 (\0)', 'soon')),
  hirer: objectLike({ id: objectLike({ value: stringText }) }),
});
const eventsText = objectLike({
  data: objectLike({
    events: objectLike({
      edges: fc
        .array(objectLike({ cursor: stringText, node: nodeText }), { maxLength: 3 })
        .map((edges) => `[${edges.join(',')}]`),
      pageInfo: objectLike({ endCursor: stringText, hasNextPage: fc.constantFrom('true', 'false') }),
    }),
  }),
  errors: fc.oneof(arrayText, fc.constant('[{"extensions":{"code":"UNAUTHENTICATED"}}]')),
});

/** An upstream, and an issuer, whose every answer is this one. */
function answering(answer: Answer): Upstream {
  const client = { send: async () => answer };
  return Object.assign(anUpstream(new URL('https://upstream.test')), {
    issuer: client,
    token: client,
    graphql: client,
  });
}

function askIssuer(answer: Answer) {
  return answering(answer).requestPartnerToken(SECRET, RequestContext.background());
}

async function askBrowserToken(answer: Answer): Promise<unknown> {
  const request = { hirerId: 'hirer', scopes: SCOPES, userId: 'user' };
  const asked = answering(answer).requestBrowserToken(request, PARTNER_TOKEN, RequestContext.background());
  return asked.catch((error: unknown) =>
    readOrRefuse(['hirer_not_connected', 'rate_limited', 'unavailable', 'upstream_error'], () => {
      throw error;
    }),
  );
}

function readEvents(body: string) {
  return readEventsAnswer({ status: 200, headers: {}, body: Buffer.from(body) }, NOW);
}

target(
  'answers of issuer and upstream',
  {
    'a partner token is fit for a header and for some time, or refused without being quoted':
      fc.asyncProperty(answerOf(grantText), async (answer) => {
        const read = await askIssuer(answer);
        if (read.kind === 'refused') {
          expect(JSON.stringify(read)).not.toMatch(new RegExp(`${SECRET}|${GRANTED}`));
          expect(read.retryAfterSeconds ?? 1).toBeGreaterThanOrEqual(1);
          return;
        }
        expect(read.accessToken).toMatch(/^[\x21-\x7e]+$/);
        expect(read.lifeSeconds > 0 && read.lifeSeconds <= 86_400).toBe(true);
      }),
    'a browser token is granted, or refused by a documented code': fc.asyncProperty(
      answerOf(grantText),
      async (answer) => {
        const read = (await askBrowserToken(answer)) as { lifeSeconds?: number } | undefined;
        if (read?.lifeSeconds !== undefined) expect(Number.isSafeInteger(read.lifeSeconds)).toBe(true);
      },
    ),
    'a page of events is read, and each can be stored anywhere': fc.property(
      answerOf(eventsText),
      (answer) => {
        const read = readEventsAnswer(answer, NOW);
        if (read.kind !== 'page') return;
        for (const event of read.events) {
          JSON.parse(event.payload);
          const stored = [event.id, event.type, event.hirerId ?? '', event.createDateTime ?? ''].join('');
          expect(stored).not.toMatch(/\p{Cc}|\p{Cs}/u);
        }
      },
    ),
    'a wait is from one second to one hour, or none': fc.property(retryAfter, (header) => {
      const wait = retryAfterSeconds(header, NOW) ?? 1;
      expect(Number.isInteger(wait) && wait >= 1 && wait <= 3_600).toBe(true);
    }),
  },
  { growth: growsLinearly(JSON_PIECES, (text) => readEvents(`{"data":{"events":{"edges":${text}`)) },
);

const jwk = jwkOf(ecKeys());
const keyText = objectLike(
  Object.fromEntries(
    Object.entries({ ...jwk, kid: 'one', use: 'sig', alg: 'ES256', key_ops: ['verify'] }).map(
      ([name, value]) => [name, fc.constant(JSON.stringify(value))],
    ),
  ),
);
const membershipText = fc.oneof(
  stringText,
  objectLike({ hirerId: stringText, roles: fc.oneof(arrayText, fc.constant('["recruiter"]')) }),
);

target('key sets and memberships that others tell of', {
  'a set of keys verifies by public keys alone, or not at all': fc.asyncProperty(
    fc.oneof(
      objectLike({
        keys: fc.array(fc.oneof(keyText, valueText), { maxLength: 3 }).map((keys) => `[${keys.join(',')}]`),
      }),
      valueText,
    ),
    async (text) => {
      const keys = new JwksKeys(async () => JSON.parse(text), [], pino({ level: 'silent' }));
      try {
        for await (const { type } of keys.find({ alg: 'ES256', kid: undefined })) expect(type).toBe('public');
      } catch (error) {
        expect(['unknown_key', 'there is no current JWK set']).toContain((error as Error).message);
      }
    },
  ),
  'a claim makes the user a member of hirers, or of none': fc.property(
    fc.oneof(
      fc.array(membershipText, { maxLength: 4 }).map((memberships) => `[${memberships.join(',')}]`),
      objectText,
      valueText,
    ),
    (claim) => {
      const user = anEndUser('amelia', { hirers: JSON.parse(claim) });
      for (const { hirerId, roles } of new ClaimMemberships('hirers', allScopes).list(user).values()) {
        expect(isHirerId(hirerId)).toBe(true);
        for (const role of roles) expect(role).toMatch(/^[\w.:-]{1,64}$/);
      }
    },
  ),
});

test.each(Object.entries(DEEP_JSON))(
  'an %s deeper than the stack in an event is an answer of no use',
  (_kind, deep) => {
    expect(
      readEvents(`{"data":{"events":{"edges":[{"node":{"id":{"value":${deep}}}}],"pageInfo":{}}}}`).kind,
    ).toMatch(/failed|refused|page/);
  },
);
