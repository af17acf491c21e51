import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '../../test/support/machine.js';
import { faultsOf, KEY, REAL } from '../../test/support/parts.js';
import { pemOf, rsaKeys } from '../../test/support/sign-token.js';
import { loadConfig } from './load-config.js';
import { SETTINGS, type SettingName } from './settings.js';

const folder = newFolder();
let written = 0;

function fileOf(content: string | Buffer): string {
  const path = join(folder, String((written += 1)));
  writeFileSync(path, content);
  return path;
}

const URLS = ['UPSTREAM_URL', 'ISSUER_TOKEN_URL', 'DATABASE_URL', 'REDIS_URL', 'OUTBOUND_PROXY'] as const;
const SECRETS = (Object.keys(SETTINGS) as SettingName[]).filter(
  (name) => SETTINGS[name].secret && name !== 'EVENT_SINKS_FILE',
);

/** Texts of which the value is right but for what came along, and what is said of it. */
const ODD: readonly (readonly [what: string, odd: (text: string) => string, seen: RegExp])[] = [
  ['a carriage return', (text) => `${text}\r`, /ends in a carriage return/],
  ['double quotes', (text) => `"${text}"`, /is in quotes/],
  ['single quotes', (text) => `'${text}'`, /is in quotes/],
  ['a byte order mark', (text) => `\ufeff${text}`, /begins with a byte order mark/],
  ['a non-breaking space', (text) => `${text}\u00a0`, /holds a non-breaking space/],
  ['zero bytes', (text) => Buffer.from(text, 'utf16le').toString('latin1'), /is UTF-16/],
];
const NO_LIST: typeof ODD = [
  ['a line break within', (text) => `${text.slice(0, 12)}\n${text.slice(12)}`, /holds a line break/],
  ['two line breaks at its end', (text) => `${text}\n\n`, /holds a line break/],
  ['a space before', (text) => ` ${text}`, /begins or ends with a space/],
  ['a space after', (text) => `${text} `, /begins or ends with a space/],
];

/** Faults of one setting, of its variable and of its file. */
function faultsOfText(name: string, text: string): string[][] {
  const rest = { ...REAL, DATA_DIR: ':memory:', [name]: undefined };
  const own = (faults: readonly string[]) => faults.filter((fault) => fault.startsWith(name));
  return [{ [name]: text }, { [`${name}_FILE`]: fileOf(text) }]
    .filter((set) => !Object.values(set)[0]!.includes('\0')) // no variable holds one
    .map((set) => own(faultsOf({ ...rest, ...set })));
}

describe.each([...ODD, ...NO_LIST])(
  'a text with %s is refused by name, and is not repeated',
  (_what, odd, seen) => {
    test.each([...SECRETS.filter((name) => name !== 'END_USER_SECRET'), ...URLS])('%s', (name) => {
      const text = URLS.some((url) => url === name) ? 'https://value.test' : KEY;
      for (const [fault = ''] of faultsOfText(name, odd(text))) {
        expect(fault).toMatch(seen);
        expect(fault).not.toMatch(/value\.test|q7Jx/);
      }
    });
  },
);

describe.each(ODD)('a list with %s is refused by name', (_what, odd, seen) => {
  test.each(['CORS_ORIGINS', 'END_USER_AUDIENCE', 'END_USER_SECRET', 'END_USER_PUBLIC_KEY'])('%s', (name) => {
    for (const [fault = ''] of faultsOfText(name, odd(KEY))) expect(fault).toMatch(seen);
  });
});

test.each([
  ['little-endian', Buffer.from(`\ufeff${KEY}`, 'utf16le')],
  ['big-endian', Buffer.from(`\ufeff${KEY}`, 'utf16le').swap16()],
])('a file of %s UTF-16 is refused as such', (_order, content) => {
  const set = { PARTNER_CLIENT_SECRET: undefined, PARTNER_CLIENT_SECRET_FILE: fileOf(content) };
  expect(faultsOf({ ...REAL, ...set })).toContain('PARTNER_CLIENT_SECRET_FILE is UTF-16; save it as UTF-8');
});

test.each([
  ['a line of END_USER_SECRET', { END_USER_SECRET: `${KEY}\r\n${KEY}!` }, /line 1 ends in a carriage return/],
  ['an item of a list', { CORS_ORIGINS: 'https://a.test "https://b.test"' }, /item 2 is in quotes/],
])('%s is refused by its place', (_what, set, seen) => {
  expect(faultsOf({ ...REAL, ...set }).join()).toMatch(seen);
});

test.each([
  ['a carriage return', (path: string) => `${path}\r`, 'ends in a carriage return'],
  ['quotes', (path: string) => `"${path}"`, 'is in quotes'],
])(
  'the path of a file with %s is refused for that, and not as a file that is missing',
  (_what, odd, seen) => {
    const set = { PARTNER_CLIENT_SECRET: undefined, PARTNER_CLIENT_SECRET_FILE: odd(fileOf('a-secret')) };
    expect(faultsOf({ ...REAL, ...set }).join()).toContain(`PARTNER_CLIENT_SECRET_FILE ${seen}`);
  },
);

test('an OPS_TOKEN that no two clients would send alike is refused', () => {
  expect(faultsOf({ ...REAL, OPS_TOKEN: `${KEY}é` })).toEqual(['OPS_TOKEN must be printable ASCII']);
});

test.each(['\n', '\r\n'])('the one line break at the end of a file (%j) is none of its text', (end) => {
  const set = { PARTNER_CLIENT_SECRET: undefined, PARTNER_CLIENT_SECRET_FILE: fileOf(`a-secret${end}`) };
  expect(loadConfig({ ...REAL, ...set }).PARTNER_CLIENT_SECRET).toBe('a-secret');
});

test.each(['\n', '\r\n'])('a PEM key and a list may hold line breaks (%j)', (end) => {
  const END_USER_PUBLIC_KEY = pemOf(rsaKeys()).trim().replaceAll('\n', end);
  const CORS_ORIGINS = `https://a.test${end}https://b.test`;
  const set = { END_USER_SECRET: undefined, END_USER_PUBLIC_KEY, CORS_ORIGINS };
  expect(loadConfig({ ...REAL, ...set })).toMatchObject({
    END_USER_PUBLIC_KEY: [{}],
    CORS_ORIGINS: ['https://a.test', 'https://b.test'],
  });
});

test('a file of sinks, and secrets in it and beside it, are read as strictly', () => {
  const sink = { name: 'crm', url: 'https://a.test', secret: `whsec_${'A'.repeat(32)}` };
  const faults = (one: object, start = ''): string =>
    faultsOf({ ...REAL, EVENT_SINKS_FILE: fileOf(start + JSON.stringify({ sinks: [one] })) }).join();
  expect(faults(sink)).toBe('');
  expect(faults(sink, '\ufeff')).toMatch(
    /^EVENT_SINKS_FILE names a file whose text begins with a byte order mark/,
  );
  expect(faults({ ...sink, secret: `"${sink.secret}"` })).toMatch(/sink crm: secret is in quotes/);
  expect(faults({ ...sink, url: 'https://a.te\nst' })).toMatch(/sink crm: url holds a line break/);
  const { secret, ...open } = sink;
  expect(faults({ ...open, secretFile: fileOf(`${secret}\r`) })).toMatch(
    /secretFile names a file whose text ends in/,
  );
});
