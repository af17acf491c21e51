import fc from 'fast-check';
import { Conditions } from '../../src/telemetry/conditions/conditions.js';
import { observeRequests } from '../../src/http/request-end.js';
import { openLog } from '../../src/telemetry/log.js';
import { Metrics } from '../../src/telemetry/metrics.js';
import { BffError } from '../../src/errors/bff-error.js';
import { operatorOf } from '../../src/http/operator.js';
import { isUuid } from '../../src/http/header-values.js';
import { RequestContext } from '../../src/http/request-context.js';
import { passHeaders } from '../../src/http/outgoing/passed-headers.js';
import { signToken } from '../support/sign-token.js';
import { HEADER_PIECES, headerText } from './generators/http-texts.js';
import { growsLinearly } from './growth.js';
import { target } from './target.js';

const JWT = signToken({ alg: 'HS256' }, { sub: 'amelia' }, 'q7Jx2mVb9Lz4Rk8Tn1Wc6Yd3Hf5Gs0Pa');
const SIGNATURE = JWT.split('.')[2]!;
const OPAQUE = 'c2VjcmV0LXRva2Vu.x~y+z/secret';
const TRACEPARENT = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
const LINE_PER_CHARACTER = 12;
const LINE_CHARACTERS = 8_000;

/** The line that the log writes for the fields and the error. */
function logged(fields: object, sentence = 'sentence'): string {
  let text = '';
  const log = openLog({ LOG_LEVEL: 'trace' }, { write: (line) => void (text += line) });
  log.warn(fields, sentence);
  return text;
}

const requestLines: string[] = [];
const requestLog = openLog({ LOG_LEVEL: 'info' }, { write: (line) => void requestLines.push(line) });
const observe = observeRequests(requestLog, new Metrics(), new Conditions());

function requestLine(id: string, texts: { url: string; address: string }, method: string): string {
  const { url, address } = texts;
  const context = new RequestContext(id, { traceparent: TRACEPARENT }, address);
  context.notes.hirerId = url;
  context.failure = new BffError('unauthenticated', { message: url, fields: { kid: address } });
  passHeaders(context, {}, 'upstream', undefined);
  observe(Object.assign(context, { method, route: url, status: 401 }));
  return requestLines.pop()!;
}

const around = fc.oneof(
  fc.string(),
  fc.array(fc.constantFrom(...HEADER_PIECES), { maxLength: 4 }).map((pieces) => pieces.join('')),
);

const hostile = fc.oneof(
  around,
  fc.string({ unit: 'binary' }),
  fc.constantFrom('__proto__', '"', '\\', '\u2028', '\ud800', '","level":"fatal', JWT),
);

/** Something that holds a token where a slip of ours might leave it. */
const leak = fc
  .tuple(
    around,
    fc.constantFrom(JWT, `Bearer ${OPAQUE}`),
    around,
    fc.constantFrom('text', 'name', 'cause', 'list'),
  )
  .map(([before, token, after, where]) => {
    const text = `${before} ${token} ${after}`;
    switch (where) {
      case 'text':
        return { text };
      case 'name':
        return { [text]: 1 };
      case 'cause':
        return { err: new Error('outer', { cause: new Error(text) }) };
      case 'list':
        return { list: [{ text }] };
    }
  });

target(
  'log lines',
  {
    'no token stands in a line, wherever it was': fc.property(leak, (fields) => {
      const line = logged(fields);
      expect(line).not.toContain(SIGNATURE);
      expect(line).not.toContain(OPAQUE);
    }),
    'the line of a request is one line of JSON, whatever its caller sent': fc.property(
      fc.uuid(),
      fc.record({ url: hostile, address: hostile }),
      fc.oneof(fc.constantFrom('GET', 'POST', '__proto__', 'G"ET'), fc.string()),
      (id, texts, method) => {
        const line = requestLine(id, texts, method);
        expect(JSON.parse(line)).toMatchObject({ level: 'info', requestId: id, msg: 'request' });
        expect(line.trimEnd()).not.toContain('\n');
        expect(line).not.toContain(SIGNATURE);
      },
    ),
    'a line is one line of JSON, no longer than a few times what was logged': fc.property(
      fc.dictionary(fc.string(), fc.string({ unit: 'binary' })),
      fc.string({ unit: 'binary' }),
      (fields, sentence) => {
        const line = logged(fields, sentence);
        expect(line.trimEnd()).not.toContain('\n');
        JSON.parse(line);
        const given = JSON.stringify(fields).length + sentence.length;
        expect(line.length).toBeLessThan(LINE_CHARACTERS + LINE_PER_CHARACTER * given);
      },
    ),
  },
  { growth: growsLinearly([...HEADER_PIECES, 'eyJhbGciOi', JWT], (text) => logged({ text })) },
);

const traceparent = fc.oneof(
  headerText,
  fc.constantFrom(
    `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
    `00-${'0'.repeat(32)}-${'0'.repeat(16)}-00`,
    `ff-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
  ),
);

target(
  'what a caller says about itself',
  {
    'the tracing headers of a call upstream have their form, whatever the caller sent': fc.property(
      fc.record(
        { 'x-session-id': fc.oneof(headerText, fc.uuid()), traceparent, tracestate: headerText },
        { requiredKeys: [] },
      ),
      fc.boolean(),
      (caller, trustTrace) => {
        const headers: Record<string, string> = {};
        passHeaders(new RequestContext('id', caller, undefined, trustTrace), headers, 'upstream', undefined);
        expect(headers['traceparent']).toMatch(/^00-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/);
        expect(headers['x-session-id'] === undefined || isUuid(headers['x-session-id'])).toBe(true);
        if (!trustTrace) expect(headers['tracestate']).toBeUndefined();
      },
    ),
    'the name of an actor is short and plain, or left out': fc.property(
      fc.oneof(
        headerText,
        fc.string({ unit: 'grapheme' }).map(encodeURIComponent),
        fc.constantFrom('%', '%00', '%E0%A4%A'),
      ),
      (name) => {
        const { actor = '' } = operatorOf({ id: 'id', ip: '127.0.0.1', headers: { 'x-ops-actor': name } });
        expect(actor).not.toMatch(/\p{Cc}|[<>"'&]/u);
        expect(actor.length).toBeLessThanOrEqual(160);
      },
    ),
  },
  {
    growth: growsLinearly(HEADER_PIECES, (text) => {
      const headers = { 'x-session-id': text, traceparent: text, tracestate: text };
      passHeaders(new RequestContext('id', headers, undefined, true), {}, 'upstream', undefined);
      operatorOf({ id: 'id', ip: '127.0.0.1', headers: { 'x-ops-actor': text } });
    }),
  },
);
