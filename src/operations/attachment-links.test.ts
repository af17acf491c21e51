import { linksOf } from '../../test/support/parts.js';
import { slowness } from '../../test/support/until.js';
import { LINK_CHARACTERS_MAX } from '../http/incoming/listener.js';
import { Seal } from '../storage/seal.js';

const ORIGIN = 'https://upstream.example';
const KEY = 'eG7Wq1Xo5Bi9Vt3Ru8Pn2Ck6Dj4Mz0Hs';
const seal = new Seal(() => [KEY], 'attachments');
let now = 0;
const links = linksOf(ORIGIN, () => now);

const user = { userId: 'user' };
const replace = (text: string): string => links.replace(text, { hirerId: 'hirer', ...user });
const pathBehind = (text: string): string | undefined =>
  links.open(replace(text).slice('/attachments/'.length), user)?.path;

/** A link as an earlier version sealed it, with any path. */
function sealed(path: unknown): string {
  const link = { path, hirerId: 'hirer', userId: 'user', expiresAt: 1 };
  return seal.seal(JSON.stringify(link), 'attachment').toString('base64url');
}

test('a link without an end opens for nobody', () => {
  expect(links.open(sealed('/attachments/a'), user)).toBeDefined();
  const bare = JSON.stringify({ path: '/attachments/a', hirerId: 'hirer', userId: 'user' });
  expect(links.open(seal.seal(bare, 'attachment').toString('base64url'), user)).toBeUndefined();
});

/** Ways to write a path that some server may read as another one. */
const AMBIGUOUS = [
  '/a/attachments/%2e%2e/secret',
  '/a/attachments/%2E%2e/secret',
  '/a/attachments/..%2fsecret',
  '/a/attachments/..%2Fsecret',
  '/a/attachments/b%2fc',
  '/a/attachments/{%',
  '/a/attachments/100%.pdf',
  '/a/attachments/b%5cc',
  '/a/attachments/b%5Cc',
  '/a/attachments/file%2epdf',
  '/a/attachments/%252e%252e%252fsecret',
  '/a/attachments/%25252e%25252Fsecret',
  '/a/attachments/%%32%65%%32%65/secret',
  '/a/attachments/%2%65%2%65/secret',
  '/a/attachments/%c0%ae%c0%ae/secret',
  '/a/attachments/%25c0%25af',
  '/a/attachments/%00',
  '/a/attachments/b%0d%0ac',
  '/a/attachments/../secret',
  '/a/b/../attachments/c',
  '/a/attachments/./c',
  '/a/attachments/..;/secret',
  '/a/attachments/..;x=1/secret',
  '/a/attachments/%2e%2e%3b/secret',
  '/a/attachments/..',
  '/a/attachments/b\\c',
  '/a/attachments\\..\\secret',
];

describe('attachment links', () => {
  test('open until ATTACHMENT_TTL_SECONDS have passed', () => {
    const link = replace(`${ORIGIN}/attachments/1`).slice('/attachments/'.length);
    now = 899_999;
    expect(links.open(link, user)?.path).toBe('/attachments/1');
    now = 900_000;
    expect(links.open(link, user)).toBeUndefined();
    now = 0;
  });

  test.each([{ userId: 'another' }, { userId: 'user', isMachine: true }, { userId: 'machines' }])(
    'of a user do not open for %j, nor those of machines for a user',
    (reader) => {
      const ofUser = replace(`${ORIGIN}/attachments/1`).slice('/attachments/'.length);
      expect(links.open(ofUser, reader)).toBeUndefined();
      const machine = { userId: 'one', isMachine: true };
      const ofMachines = links.replace(`${ORIGIN}/attachments/1`, { hirerId: 'hirer', ...machine });
      const sealedName = ofMachines.slice('/attachments/'.length);
      expect(links.open(sealedName, { userId: 'other', isMachine: true })).toEqual({
        path: '/attachments/1',
        hirerId: 'hirer',
        leftMs: 900_000,
      });
      expect(links.open(sealedName, user)).toBeUndefined();
    },
  );

  test.each([
    '/a/attachments/1',
    '/a/attachments/resume.pdf',
    '/a/attachments/...and%20more%20(1).pdf',
    '/a/attachments/r%C3%A9sum%C3%A9.pdf',
    '/a/attachments/100%25.pdf',
    '/a/attachments/..hidden..',
    '/a/attachments/1?signature=a%2Fb%2E..%5C/../c',
  ])('%s is sealed, and comes out as it went in', (path) => {
    expect(replace(ORIGIN + path)).toMatch(/^\/attachments\/[\w-]+$/);
    expect(pathBehind(ORIGIN + path)).toBe(path);
  });

  test.each(AMBIGUOUS)('%s is not sealed', (path) => {
    expect(replace(ORIGIN + path)).toBe(ORIGIN + path);
  });

  test.each(AMBIGUOUS)('%s is not opened, had it been sealed', (path) => {
    expect(links.open(sealed('/a/attachments/1'), user)?.path).toBe('/a/attachments/1');
    expect(links.open(sealed(path), user)).toBeUndefined();
  });

  test.each([['/secret'], ['//evil.example/attachments/1'], ['a/attachments/1'], [undefined], [7]])(
    'a sealed path that is none of an attachment, %s, is not opened',
    (path) => {
      expect(links.open(sealed(path), user)).toBeUndefined();
    },
  );

  test.each([
    `https://other.example/attachments/1`,
    `http://upstream.example/attachments/1`,
    `https://upstream.example:444/attachments/1`,
    `https://upstream.example@evil.example/attachments/1`,
    `https://user@upstream.example/attachments/1`,
    `https:\\\\upstream.example\\attachments\\1`,
    `https://upstream.example/a/attach\tments/1`,
    `https://upstream.example/a/attachments/.\n./1`,
    `https://upstream.example/a/attachments/1 `,
    `https://upstream.example//evil.example/attachments/1`,
    `${ORIGIN}/secret?x=/attachments/1`,
    `${ORIGIN}/secret#/attachments/1`,
    'attachments/1',
    '',
  ])('%j stays as it is', (text) => {
    expect(replace(text)).toBe(text);
  });

  test('a URL that is too long for a link stays as it is, however often it is encoded', () => {
    const ofLength = (length: number, filler: string): string =>
      `${ORIGIN}/attachments/`.padEnd(length, filler);
    expect(replace(ofLength(5_500, 'a')).length).toBeLessThanOrEqual(
      '/attachments/'.length + LINK_CHARACTERS_MAX,
    );
    expect(replace(ofLength(6_500, 'a'))).toBe(ofLength(6_500, 'a'));
    for (const filler of ['a', '%25', 'é']) {
      const text = ofLength(1_000_000, filler);
      const before = process.threadCpuUsage().user;
      for (let turn = 0; turn < 1_000; turn += 1) links.replace(text, { hirerId: 'hirer', userId: 'user' });
      expect(replace(text)).toBe(text);
      expect(process.threadCpuUsage().user - before).toBeLessThan(1_000_000 * slowness()); // a microsecond for each kilobyte
    }
  });
});
