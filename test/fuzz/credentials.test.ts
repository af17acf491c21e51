import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { isIdentifier } from '../../src/http/end-user.js';
import { BffError } from '../../src/errors/bff-error.js';
import { problemHeaders, toProblem } from '../../src/errors/problem.js';
import { AttachmentLinks } from '../../src/operations/attachment-links.js';
import { WebhookSignatures } from '../../src/webhooks/receive/webhooks.controller.js';
import { anAuthenticator, staticKeys } from '../support/parts.js';
import { part } from '../support/sign-token.js';
import { HEADER_PIECES, headerText } from './generators/http-texts.js';
import { bytesOf, damaged, numberText, objectLike, stringText, words } from './generators/json-texts.js';
import { growsLinearly } from './growth.js';
import { target } from './target.js';

const NOW_SECONDS = 1_800_000_000;
const now = () => NOW_SECONDS * 1000;
const ISSUER = 'https://idp.test';
const AUDIENCE = 'partner-bff';
const SECRET = 'q7Jx2mVb9Lz4Rk8Tn1Wc6Yd3Hf5Gs0Pa';
const COOKIE = 'session';

const authenticator = anAuthenticator(staticKeys({ END_USER_SECRET: [SECRET] }), now, {
  END_USER_ISSUER: [ISSUER],
  END_USER_AUDIENCE: [AUDIENCE],
  END_USER_COOKIE: COOKIE,
  CORS_ORIGINS: ['https://app.test'],
});

function signed(header: string, payload: string): string {
  const input = `${part(header)}.${part(payload)}`;
  return `${input}.${createHmac('sha256', SECRET).update(input).digest('base64url')}`;
}

const headerJson = objectLike({
  alg: fc.constant('"HS256"'),
  typ: fc.constantFrom('"JWT"', '"at+jwt"'),
  kid: stringText,
});
const payloadJson = objectLike({
  iss: fc.constant(JSON.stringify(ISSUER)),
  aud: fc.constantFrom(JSON.stringify(AUDIENCE), `["other","${AUDIENCE}"]`),
  sub: fc.oneof(fc.constant('"amelia"'), stringText),
  exp: fc.oneof(fc.constant(String(NOW_SECONDS + 600)), numberText),
  iat: fc.oneof(fc.constant(String(NOW_SECONDS)), numberText),
  nbf: fc.oneof(fc.constant('0'), numberText),
});
const GOOD = signed(
  '{"alg":"HS256"}',
  JSON.stringify({ iss: ISSUER, aud: AUDIENCE, sub: 'amelia', iat: NOW_SECONDS, exp: NOW_SECONDS + 600 }),
);

/** The user whom a request with these headers comes from, or why it is refused. */
async function authenticate(headers: Record<string, string>, method = 'POST') {
  const rawHeaders = Object.entries(headers).flat();
  try {
    return await authenticator.authenticate({ headers, rawHeaders, method });
  } catch (error) {
    if (!(error instanceof BffError)) throw error;
    expect(['unauthenticated', 'csrf_failed']).toContain(error.code);
    return error;
  }
}

const bearer = (token: string) => authenticate({ authorization: `Bearer ${token}` });

target(
  'end-user tokens',
  {
    'a token that is signed rightly names a user, or is refused': fc.asyncProperty(
      headerJson,
      payloadJson,
      async (header, payload) => {
        const user = await bearer(signed(header, payload));
        if (user instanceof BffError) return;
        expect(isIdentifier(user.subject)).toBe(true);
        expect(user.expiresAt).toBeGreaterThan(now() - 60_000);
        expect(JSON.parse(payload)).toMatchObject({ iss: ISSUER, sub: user.subject });
      },
    ),
    'a token that differs in anything from the one that was signed is refused': fc.asyncProperty(
      damaged(fc.constant(GOOD), ['.', '=', '-', 'A', ' ', 'eyJ', '\n']),
      async (token) => {
        const user = await bearer(token);
        if (token.trimStart() !== GOOD) expect(user).toBeInstanceOf(BffError);
      },
    ),
    'a refusal tells nothing of the token': fc.asyncProperty(
      headerJson,
      payloadJson,
      async (header, payload) => {
        const token = signed(header, payload).replace(/.$/, '!');
        const error = await bearer(token);
        expect(error).toBeInstanceOf(BffError);
        const told = JSON.stringify([toProblem(error as BffError, 'id'), problemHeaders(error as BffError)]);
        for (const piece of token.split('.')) expect(piece.length > 8 && told.includes(piece)).toBe(false);
      },
    ),
    'whatever the headers hold, the request has a user or is refused': fc.asyncProperty(
      fc.record(
        {
          authorization: fc.oneof(
            headerText,
            headerText.map((text) => `Bearer ${text}`),
          ),
          cookie: fc.oneof(
            headerText,
            headerText.map((text) => `${COOKIE}=${text}`),
            fc.constantFrom(
              `${COOKIE}=${GOOD}`,
              `${COOKIE}=%E0%A4%A; ${COOKIE}="`,
              `__proto__=a; ${COOKIE}=${GOOD}`,
            ),
          ),
          origin: fc.oneof(
            headerText,
            fc.constantFrom('null', 'https://app.test', 'https://[', 'https://bff.test'),
          ),
          host: fc.oneof(headerText, fc.constant('bff.test')),
          'x-csrf': fc.oneof(headerText, fc.constant('1')),
        },
        { requiredKeys: [] },
      ),
      fc.constantFrom('GET', 'POST'),
      async (headers, method) => {
        const user = await authenticate(headers, method);
        const isCookie = method === 'POST' && headers.authorization === undefined;
        if (!(user instanceof BffError) && isCookie) expect(headers['x-csrf']).toBe('1');
      },
    ),
  },
  {
    growth: growsLinearly([...HEADER_PIECES, GOOD], (text) => {
      for (const headers of [
        { authorization: `Bearer ${text}` },
        { cookie: text, 'x-csrf': '1', origin: text },
      ]) {
        void authenticate(headers as Record<string, string>).catch(() => undefined);
      }
    }),
  },
);

const webhookSecret = 'a-webhook-secret';
const signatures = new WebhookSignatures('sha512');
signatures.use([webhookSecret]);
const signatureOf = (body: Buffer) => createHmac('sha512', webhookSecret).update(body).digest('hex');

target('webhook signatures', {
  'the signature of the very bytes is believed': fc.property(fc.uint8Array().map(bytesOf), (body) => {
    expect(signatures.signerOf(body, signatureOf(body))).toBe(0);
  }),
  "any other text is nobody's signature": fc.property(
    fc.uint8Array().map(bytesOf),
    fc.oneof(
      headerText,
      damaged(fc.constant('0'.repeat(128)), ['a', 'A', ' ', 'sha512=']),
      fc.stringMatching(/^[0-9a-f]{128}$/),
      fc.constantFrom<string[][]>([], ['a', 'b']),
    ),
    (body, signature) => {
      expect(signatures.signerOf(body, signature)).toBe(-1);
    },
  ),
  "a signature that is changed is nobody's": fc.property(
    fc.uint8Array().map(bytesOf),
    fc.nat(127),
    fc.constantFrom(...'0123456789abcdefABCDEF '),
    (body, place, digit) => {
      const signature = signatureOf(body);
      const changed = signature.slice(0, place) + digit + signature.slice(place + 1);
      if (changed !== signature) expect(signatures.signerOf(body, changed)).toBe(-1);
    },
  ),
});

const links = new AttachmentLinks(
  {
    UPSTREAM_URL: new URL('https://upstream.test'),
    ATTACHMENT_PATH_PATTERN: /\/attachments\//,
    ATTACHMENT_TTL_SECONDS: 900,
  },
  { current: { SEALING_KEY: [SECRET] } },
  now,
);
const pathText = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc
    .array(fc.constantFrom(...words('.. . %2e%2e %2F %5c \\ / attachments x ?a=b # @evil.test')), {
      maxLength: 6,
    })
    .map((all) => all.join('/')),
);
const urlText = fc
  .tuple(
    fc.constantFrom(
      'https://upstream.test',
      'https://upstream.test@evil.test',
      'http://upstream.test',
      'HTTPS://UPSTREAM.TEST:443',
      '',
    ),
    pathText,
  )
  .map(([origin, path]) => `${origin}/attachments/${path}`);

const reader = { userId: 'user' };

/** The text that was sealed in place of a URL; undefined when it was left as it is. */
function sealedIn(text: string): string | undefined {
  const link = links.replace(text, { hirerId: 'hirer', ...reader });
  return link === text ? undefined : link.slice('/attachments/'.length);
}

target('sealed attachment links', {
  'a text that we did not seal opens nothing': fc.property(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.base64String(),
      fc.uint8Array({ minLength: 33 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
    ),
    (text) => {
      expect(links.open(text, reader)).toBeUndefined();
    },
  ),
  'a link that is changed opens nothing': fc.property(
    damaged(fc.constant(sealedIn('https://upstream.test/attachments/one')!), ['A', '-', '=', '.', '\n']),
    (text) => {
      const opened = links.open(text, reader);
      if (opened) expect(opened.path).toBe('/attachments/one');
    },
  ),
  'what is sealed is a plain path on the upstream': fc.property(urlText, (text) => {
    const sealed = sealedIn(text);
    if (sealed === undefined) return;
    const { path } = links.open(sealed, reader)!;
    expect(new URL(text).origin).toBe('https://upstream.test');
    expect(new URL(path, 'https://upstream.test').origin).toBe('https://upstream.test');
    expect(path.split('?')[0]).not.toMatch(/%2f|%5c|%2e|\\|\/\.\.?(\/|$)/i);
  }),
});
