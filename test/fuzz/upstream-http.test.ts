import fc from 'fast-check';
import { UserIds } from '../../src/auth/user-ids.js';
import { AttachmentLinks } from '../../src/operations/attachment-links.js';
import { BANKSIA, useScriptedStack } from '../proxy/proxy-stack.js';
import type { Answerer } from '../support/json-server.js';
import { TEST_KEYS } from '../support/start-stack.js';
import { headerText } from './generators/http-texts.js';
import {
  DEEP_JSON,
  anyJsonBytes,
  bytesOf,
  numberText,
  objectLike,
  quoted,
  stringText,
  valueText,
} from './generators/json-texts.js';
import { closeConnections, send, type ReceivedAnswer, target } from './target.js';

// The service with an upstream that answers anything at all.

const SHARE = 1 / 20;
const TOLD = 'what only the log may know';
const FAILURES = [429, 502, 503, 504];
const ASKED = Buffer.from('{"query":"mutation m { ok }"}');
const NAMED = Buffer.from('{"documentId":"Hirer"}');
const BOTH = Buffer.from(`[${ASKED.toString()},${NAMED.toString()}]`);

interface Scripted {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

const { upstream, stack } = useScriptedStack({
  RATE_LIMIT_MINTS_PER_MINUTE: '0',
  UPSTREAM_TIMEOUT_MS: '2000',
});
let link: string;

beforeAll(() => {
  const user = new UserIds({ USER_ID_KEY: [TEST_KEYS.USER_ID_KEY] }).of(
    stack.environment['END_USER_ISSUER']!,
    'amelia',
  );
  const links = new AttachmentLinks(
    {
      UPSTREAM_URL: new URL(upstream.url),
      ATTACHMENT_PATH_PATTERN: /\/attachments\//,
      ATTACHMENT_TTL_SECONDS: 900,
    },
    { current: { SEALING_KEY: [TEST_KEYS.SEALING_KEY] } },
  );
  link = links.replace(`${upstream.url}/attachments/one`, { hirerId: BANKSIA, userId: user });
});
afterAll(closeConnections);

const scriptedHeaders = fc
  .record(
    {
      'content-language': fc.oneof(headerText, fc.constant('th')),
      'retry-after': fc.oneof(headerText, fc.nat().map(String), fc.constantFrom('1e9', 'Infinity', '-1')),
      'content-type': fc.oneof(headerText, fc.constantFrom('application/json', 'text/html')),
      'content-disposition': fc.oneof(headerText, fc.constant('attachment; filename="Résumé.pdf"')),
      'last-modified': headerText,
      'content-encoding': fc.constantFrom('gzip', 'identity', 'zstd'),
      location: fc.constant('http://127.0.0.1:1/'),
      'set-cookie': fc.constant(TOLD),
      'x-internal': fc.constant(TOLD),
    },
    { requiredKeys: [] },
  )
  .map((some) => some as Record<string, string>);

const answerText = objectLike({
  data: fc.oneof(
    valueText,
    objectLike({
      h0: objectLike({
        id: objectLike({ value: quoted(fc.constant(BANKSIA)) }),
        name: stringText,
      }),
    }),
  ),
  errors: fc
    .array(
      objectLike({ message: stringText, path: valueText, extensions: objectLike({ code: stringText }) }),
      { maxLength: 2 },
    )
    .map((all) => `[${all.join(',')}]`),
  extensions: objectLike({ requestLatency: numberText }),
});
const scripted = fc.record<Scripted>({
  status: fc.oneof(
    { weight: 4, arbitrary: fc.constant(200) },
    fc.constantFrom(203, 204, 206, 301, 400, 401, 403, 404, 418, 429, 500, 502, 503, 599),
  ),
  headers: scriptedHeaders,
  body: fc.oneof(
    { weight: 4, arbitrary: answerText.map(bytesOf) },
    anyJsonBytes,
    fc
      .constantFrom(
        DEEP_JSON.array,
        `{"data":{"h0":{"name":${DEEP_JSON.object}}}}`,
        `{"data":{},"errors":[{"path":[1.50]}]}`,
        TOLD,
      )
      .map(bytesOf),
  ),
});

function ask(
  answer: Scripted,
  method: string,
  path: string,
  body = Buffer.alloc(0),
): Promise<ReceivedAnswer> {
  const told: Answerer = (_call, response) =>
    response.writeHead(answer.status, answer.headers).end(answer.body);
  upstream.sendFile = told;
  upstream.before = (call, response) => {
    told(call, response);
    return true;
  };
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${stack.amelia}`,
    'x-hirer-id': BANKSIA,
  };
  return send(stack.url, { method, path, headers, body });
}

/**
 * A failure is one of the upstream's, told in our own words; nothing of its other headers passes. What it answers as GraphQL
 * keeps its status, 500 included.
 */
function expectTold({ status, headers, text }: ReceivedAnswer, answer: Scripted): void {
  if (answer.status !== 500) expect(status).not.toBe(500);
  expect(text).not.toContain('internal_error');
  expect(JSON.stringify(headers)).not.toContain(TOLD);
  expect(headers['location'] ?? headers['set-cookie'] ?? headers['content-encoding']).toBeUndefined();
  if (status !== answer.status) expect(FAILURES).toContain(status);
  if (FAILURES.includes(status) && status !== answer.status) expect(text).not.toContain(TOLD);
}

target(
  'an upstream that answers anything',
  {
    'an operation has its answer, or a failure of the upstream': fc.asyncProperty(
      scripted,
      async (answer) => {
        const told = await ask(answer, 'POST', '/graphql', ASKED);
        expectTold(told, answer);
        JSON.parse(told.text);
      },
    ),
    'a registered operation has a shaped answer, or a failure': fc.asyncProperty(scripted, async (answer) => {
      const told = await ask(answer, 'POST', '/graphql', NAMED);
      if (told.status !== 403) expectTold(told, answer);
      JSON.parse(told.text);
    }),
    'an array has an answer for each item, whatever came for them all': fc.asyncProperty(
      scripted,
      async (answer) => {
        const told = await ask(answer, 'POST', '/graphql', BOTH);
        expect(told.status).toBe(200);
        const codes = JSON.parse(told.text).map((item: any) => item.errors?.[0]?.extensions?.code);
        expect(codes).toHaveLength(2);
        expect(codes).not.toContain('INTERNAL_SERVER_ERROR');
      },
    ),
    'a file comes with plain headers, or not at all': fc.asyncProperty(scripted, async (answer) => {
      const told = await ask(answer, 'GET', link);
      if (told.status === 404) expect(answer.status).toBe(404);
      else expectTold(told, answer);
    }),
  },
  { share: SHARE },
);
