import fc from 'fast-check';
import { words } from './json-texts.js';

const visible = fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code));
const byte = fc.integer({ min: 0x80, max: 0xff }).map((code) => String.fromCharCode(code));

/** A value as Node gives a header: any byte but control characters, each as one character, no blanks around it. */
export const headerText = fc
  .string({ unit: fc.oneof({ weight: 8, arbitrary: visible }, byte, fc.constant('\t')), maxLength: 200 })
  .map((text) => text.trim());

export const HEADER_PIECES = [
  ...words('Bearer eyJ eyJ- . - = ; , " / % %00 a=b q=0.5 \u00ff'),
  ...words('application/json charset= ;charset=" utf-8 00- f 0 : a */* :// token='),
  ...['Bearer ', ' ', '\t'],
];

const token = fc.string({ unit: fc.constantFrom(...'abcz019!#$%&*+-.^_`|~'), minLength: 1, maxLength: 20 });

const REQUEST_HEADERS: Readonly<Record<string, readonly string[]>> = {
  accept: ['*/*', 'application/graphql-response+json', 'application/json;q=0.5, */*;q=0.1'],
  'content-type': [
    'application/json',
    'application/json; charset=utf-8',
    'application/json; charset="latin1',
    'text/csv',
    '',
  ],
  'content-encoding': ['gzip', 'identity', ''],
  'accept-language': ['th', 'en-US,th;q=0.5', '*'],
  'x-hirer-id': [
    'seekAnzPublicTest:organization:seek:93WyyF1h',
    'seekAnzPublicTest:organization:seek:7RwvC2Hn',
    '',
  ],
  'x-request-id': ['5f4b1ab0-6c5a-4f0e-9d3a-0c7f6c6f0a11', '5F4B1AB0-6C5A-4F0E-9D3A-0C7F6C6F0A11', ''],
  'x-session-id': ['5f4b1ab0-6c5a-4f0e-9d3a-0c7f6c6f0a11'],
  traceparent: [`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, '00-00-00-00'],
  tracestate: ['a=b', 'a=b,c=d', '='],
  'last-event-id': ['seekAnzPublicTest:event:events:1', '0', ''],
  origin: ['null', 'https://app.test', 'http://127.0.0.1'],
  cookie: ['session=a', 'session="', '=', ';;'],
  'if-none-match': ['"a"', '*'],
  range: ['bytes=0-1', 'bytes=-'],
  'x-ops-actor': ['Amelia', '%E0%B8%81', '%'],
  'x-http-method-override': ['DELETE'],
};

/** Headers that the service, a framework or a proxy may look at: as they are meant, and not. */
export const requestHeaders = fc
  .array(
    fc.oneof(
      {
        weight: 8,
        arbitrary: fc
          .constantFrom(...Object.keys(REQUEST_HEADERS))
          .chain((name) =>
            fc.tuple(
              fc.constant(name),
              fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...REQUEST_HEADERS[name]!) }, headerText),
            ),
          ),
      },
      fc.tuple(
        token.map((name) => `x-${name}`),
        headerText,
      ),
    ),
    { maxLength: 4 },
  )
  .map((all) => Object.fromEntries(all));

/** Parts of paths and queries, those that end where they should not included. */
export const pathText = fc
  .array(
    fc.oneof(
      fc.constantFrom(...words('/ // .. . %2e%2e %2F %00 %zz %E0%A4%A \\ ; @ * ? & = #')),
      fc.constantFrom(...words('graphql auth token hirers attachments memberships events audit __proto__')),
      fc.string({ unit: 'grapheme', maxLength: 8 }).map(encodeURIComponent),
    ),
    { maxLength: 5 },
  )
  .map((parts) => `/${parts.join('')}`);

/** Pieces of HTTP/1.1 messages. */
export const HTTP_PIECES = [
  ...['GET / HTTP/1.1', 'POST /graphql HTTP/1.1', 'POST /webhooks HTTP/1.0', 'PRI * HTTP/2.0\r\n\r\nSM\r\n'],
  ...['Host: a', 'Host: ', 'Content-Type: application/json', 'Content-Length: 2', 'Content-Length: -1'],
  ...[
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: gzip, chunked',
    'Expect: 100-continue',
    'Upgrade: h2c',
  ],
  ...['Connection: close', 'Connection: upgrade', ': a', ' folded', 'a: \0', '', '2\r\n{}', '0\r\n'],
  ...['ffffffffffffffff', `Cookie: ${'a'.repeat(20_000)}`, `GET /${'a'.repeat(20_000)} HTTP/1.1`],
]
  .map((line) => `${line}\r\n`)
  .concat('\n', '{}', '\x16\x03\x01');
