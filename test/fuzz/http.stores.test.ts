import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { ERROR_CODES } from '../../src/errors/error-codes.js';
import { BANKSIA, startProxyStack, type ProxyStack } from '../proxy/proxy-stack.js';
import { testDatabases, type TestDatabase } from '../support/test-database.js';
import { anEvent, signWebhook, webhookBody } from '../webhooks/send-webhook.js';
import { headerText, HTTP_PIECES } from './generators/http-texts.js';
import { objectText } from './generators/json-texts.js';
import { opsRequest, publicRequest } from './generators/requests.js';
import {
  closeConnections,
  send,
  sendBytes,
  type ReceivedAnswer,
  type SentRequest,
  target,
} from './target.js';

// The service on the sockets of this machine, its playground as upstream.

const OPS_TOKEN = 'ops-token-nobody-may-see';
const SHARE = 1 / 20;
const REFUSAL_CHARACTERS = 8_000;
const REFUSAL_PER_BYTE = 20;
const SIGN_IN_PAGE = readFileSync('src/ops/dashboard/page/index.html', 'utf8');

let store: TestDatabase;
let stack: ProxyStack;
const secrets = new Set<string>();

beforeAll(async () => {
  store = await testDatabases()[0]!.open();
  stack = await startProxyStack({
    ...store.settings,
    OPS_TOKEN,
    CORS_ORIGINS: 'https://app.test',
    END_USER_COOKIE: 'session',
    RATE_LIMIT_MINTS_PER_MINUTE: '0',
  });
  const { tokens, settings } = stack.playground;
  const issue = tokens.issuePartner.bind(tokens);
  tokens.issuePartner = (seconds) => {
    const token = issue(seconds);
    secrets.add(token);
    return token;
  };
  const { USER_ID_KEY, SEALING_KEY } = stack.environment;
  const signature = stack.amelia.split('.')[2]!;
  for (const secret of [
    settings['PARTNER_CLIENT_SECRET'],
    settings['WEBHOOK_SECRETS'],
    USER_ID_KEY,
    SEALING_KEY,
    OPS_TOKEN,
    signature,
  ]) {
    secrets.add(secret!);
  }
});
afterAll(closeConnections);

/** Asserts what must hold for any answer to any request. */
function expectHarmless(
  { path, body, headers: sent }: SentRequest,
  { status, headers, text }: ReceivedAnswer,
): void {
  expect(status).toBeLessThan(500);
  const told = JSON.stringify(headers) + text;
  for (const secret of secrets) expect(told.includes(secret)).toBe(false);
  if (status < 400) return;
  const sentBytes = path.length + body.length + JSON.stringify(sent).length;
  // A page of constant size, the one that asks for the ops token, is all that may come besides.
  const page = headers['content-type']?.startsWith('text/html') ? SIGN_IN_PAGE : '';
  expect(text.startsWith(page)).toBe(true);
  expect(told.length - page.length).toBeLessThan(REFUSAL_CHARACTERS + REFUSAL_PER_BYTE * sentBytes);
  expect(headers['x-request-id']).toMatch(/^[\da-f-]{36}$/i);
  if (text !== '' && headers['content-type']?.startsWith('application/problem+json')) {
    expect(ERROR_CODES[JSON.parse(text).code as keyof typeof ERROR_CODES].status).toBe(status);
  }
}

/** The request as one of a user, by header or by cookie, or of nobody. */
function as(who: 'amelia' | 'cookie' | 'nobody', request: SentRequest): SentRequest {
  if (who === 'nobody') return request;
  const own =
    who === 'amelia'
      ? { authorization: `Bearer ${stack.amelia}` }
      : { cookie: `session=${stack.amelia}`, 'x-csrf': '1' };
  return { ...request, headers: { 'x-hirer-id': BANKSIA, ...request.headers, ...own } };
}

target(
  'the public listener',
  {
    'any request is answered, by no fault of ours and with no secret': fc.asyncProperty(
      publicRequest,
      fc.constantFrom('amelia' as const, 'amelia' as const, 'cookie' as const, 'nobody' as const),
      async (request, who) => {
        const sent = as(who, request);
        expectHarmless(sent, await send(stack.url, sent));
      },
    ),
    'a signed webhook is stored or refused for good': fc.asyncProperty(
      fc.array(
        fc
          .oneof(fc.constant(null), objectText)
          .map((text) => JSON.stringify({ ...anEvent(), ...(text !== null && JSON.parse(text)) })),
        { maxLength: 3 },
      ),
      fc.constantFrom('2026-01-02T03:04:05Z', '2026-01-02 (\0)', '2026-01-02 (\ud800)', ''),
      async (events, createDateTime) => {
        const body = Buffer.from(
          webhookBody(events.map((text) => ({ ...JSON.parse(text), createDateTime }))),
        );
        const secret = stack.playground.settings['WEBHOOK_SECRETS']!;
        const headers = { 'content-type': 'application/json', 'seek-signature': signWebhook(body, secret) };
        const sent = { method: 'POST', path: '/webhooks', headers, body };
        const answer = await send(stack.url, sent);
        expectHarmless(sent, answer);
        expect([204, 400]).toContain(answer.status);
      },
    ),
    'bytes that are no HTTP are refused or dropped': fc.asyncProperty(
      fc.array(fc.oneof(fc.constantFrom(...HTTP_PIECES), headerText), { minLength: 1, maxLength: 8 }),
      async (pieces) => {
        const text = await sendBytes(stack.url, Buffer.from(pieces.join(''), 'latin1'));
        for (const [, status] of text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)) {
          expect(Number(status)).toBeLessThan(500);
        }
        expect(
          (await send(stack.opsUrl, { method: 'GET', path: '/livez', headers: {}, body: Buffer.alloc(0) }))
            .status,
        ).toBe(200);
      },
    ),
  },
  { share: SHARE },
);

target(
  'the ops listener',
  {
    'any request of someone who may is answered, by no fault of ours and with no secret': fc.asyncProperty(
      opsRequest,
      async (request) => {
        const { host } = new URL(stack.opsUrl);
        const own = { origin: `http://${host}`, authorization: `Bearer ${OPS_TOKEN}` };
        const sent = { ...request, headers: { ...request.headers, ...own } };
        expectHarmless(sent, await send(stack.opsUrl, sent));
      },
    ),
    'any request of someone who may not is refused': fc.asyncProperty(opsRequest, async (request) => {
      const answer = await send(stack.opsUrl, request);
      expectHarmless(request, answer);
      expect(answer.status).toBeGreaterThanOrEqual(request.path.startsWith('/dashboard/') ? 200 : 400);
    }),
  },
  { share: SHARE },
);

test('after all that, the log holds no secret and the service answers as before', async () => {
  const { status, body } = await stack.ask({ query: '{self{hirer{id{value}}}}' });
  expect([status, body.data.self.hirer.id.value]).toEqual([200, BANKSIA]);
  for (const secret of secrets) expect(stack.logText().includes(secret)).toBe(false);
});
