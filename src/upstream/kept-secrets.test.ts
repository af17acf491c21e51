import { KeptSecrets } from './kept-secrets.js';

type Change = (values: { readonly PARTNER_CLIENT_SECRET: string }) => void;

function setUp(clientSecret = 'first-client-secret') {
  const current = { PARTNER_CLIENT_SECRET: clientSecret };
  let change: Change = () => undefined;
  const kept = new KeptSecrets({ current, onChange: (_name, listener) => void (change = listener) });
  return { kept, change: (PARTNER_CLIENT_SECRET: string) => change({ PARTNER_CLIENT_SECRET }) };
}

test('a partner token stays secret while calls with it may be under way, however often the upstream refuses tokens', () => {
  const { kept } = setUp();
  for (let number = 1; number <= 8; number += 1) kept.keep(`partner-token-${number}`);
  expect(kept.areIn(Buffer.from('{"data":"partner-token-1"}'))).toBe(true);
});

test('a client secret stays secret once there is another, which the issuer may not have taken over', () => {
  const { kept, change } = setUp();
  change('second-client-secret');
  for (const name of ['first', 'second']) expect(kept.areIn(Buffer.from(`${name}-client-secret`))).toBe(true);
});

describe.each(['plain-client-secret', 'secret/+"\\ %41~word'])('the client secret %p', (secret) => {
  const asJson = JSON.stringify(secret).slice(1, -1);
  const escape = (text: string, pattern: RegExp): string =>
    text.replaceAll(pattern, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const lower = (text: string): string => text.replaceAll(/%../g, (one) => one.toLowerCase());
  const percent = encodeURIComponent(secret);
  const basic = (text: string, encoding: BufferEncoding): string => Buffer.from(text).toString(encoding);

  test.each<[string, string]>([
    ['as JSON writes it', asJson],
    ['with escapes of everything', escape(secret, /[^]/g)],
    ['with escapes in upper case', escape(secret, /[^]/g).replaceAll(/[a-f]/g, (one) => one.toUpperCase())],
    ['with escaped slashes', asJson.replaceAll('/', '\\/')],
    ['percent-encoded', percent],
    ['percent-encoded in lower case', lower(percent)],
    ['as a form has it', new URLSearchParams({ s: secret }).toString().slice(2)],
    ['percent-encoded in escapes', escape(percent, /%/g)],
    ['in Base64', basic(secret, 'base64')],
    ['in Base64 of URLs', basic(secret, 'base64url')],
    ...['id', 'id1', 'id12'].map((id): [string, string] => [
      `in basic authentication of ${id}`,
      basic(`${id}:${secret}`, 'base64'),
    ]),
    ['in basic authentication, percent-encoded', basic(`id:${percent}`, 'base64')],
  ])('is seen %s', (_title, text) => {
    expect(setUp(secret).kept.areIn(Buffer.from(`{"errors":[{"message":"${text} is wrong"}]}`))).toBe(true);
  });

  test('is seen in a header, plain or percent-encoded', () => {
    const { kept } = setUp(secret);
    expect(kept.areInHeader(secret)).toBe(true);
    expect(kept.areInHeader(`attachment; filename*=UTF-8''${percent}`)).toBe(true);
  });

  test('is not seen in what only resembles it', () => {
    const other = `{"a":"${escape(secret.slice(1), /[^]/g)}","b":"\\ud83dไทย${asJson.slice(1)}"}`;
    expect(setUp(secret).kept.areIn(Buffer.from(other))).toBe(false);
  });
});
