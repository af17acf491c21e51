import { buffer } from 'node:stream/consumers';
import { makeFile } from './files.js';

const NAME = 'Zoë O\u2019Connor (\\{ศรีสุข})';
const DOCUMENT = [NAME, 'zoe@people.example', 'Nurse & carer, <Wattle>', 'word '.repeat(40).trim()];

const bytesOf = async (format: Parameters<typeof makeFile>[0], bytes = 0): Promise<Buffer> =>
  buffer(makeFile(format, DOCUMENT, bytes).read());

describe('makeFile', () => {
  test.each(['doc', 'pdf', 'rtf', 'txt'] as const)(
    'makes a %s of exactly the size asked for, or just as large as needed',
    async (format) => {
      for (const bytes of [4_000, 65_536, 200_001]) {
        const file = makeFile(format, DOCUMENT, bytes);
        expect([file.bytes, (await buffer(file.read())).length]).toEqual([bytes, bytes]);
      }
      const file = makeFile(format, DOCUMENT, 0);
      expect(file.bytes).toBe((await buffer(file.read())).length);
      expect(file.bytes).toBeLessThan(4_000);
    },
  );

  test.each([0, 5_000])(
    'makes a PDF of %i bytes whose cross-reference table is at the stated position',
    async (bytes) => {
      const text = (await bytesOf('pdf', bytes)).toString('latin1');
      const offset = Number(/startxref\n(\d+)/.exec(text)?.[1]);
      expect(text.slice(offset, offset + 4)).toBe('xref');
      const entries = [...text.slice(offset).matchAll(/^(\d{10}) 00000 n/gm)];
      const objects = entries.map(([, place]) => text.slice(Number(place), Number(place) + 7));
      expect(objects).toEqual([1, 2, 3, 4, 5].map((n) => `${String(n)} 0 obj`));
    },
  );

  test('writes a PDF with its text in lines that fit the page, and its declared length', async () => {
    const text = (await bytesOf('pdf')).toString('latin1');
    const [, length, content = ''] = /\/Length (\d+) >>\nstream\n(.*)\nendstream/s.exec(text) ?? [];
    expect(Number(length)).toBe(content.length);
    expect(content).toContain('(Zo\xeb O?Connor \\(\\\\{??????}\\)) Tj');
    expect(content).toContain('(Nurse & carer, <Wattle>) Tj');
    const lines = [...content.matchAll(/\((.*)\) Tj/g)].map(([, line = '']) => line);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(88);
    expect(lines.join(' ')).toContain('word '.repeat(40).trim());
  });

  test('writes rich text in ASCII, with other characters as numbers and its filler hidden', async () => {
    const text = (await bytesOf('rtf', 5_000)).toString('latin1');
    expect(text).toMatch(/^\{\\rtf1[\x00-\x7f]*\}\}$/);
    expect(text).toContain('Zo\\u235? O\\u8217?Connor (\\\\\\{\\u3624?');
    expect(text.slice(0, text.indexOf('A line of filler'))).toMatch(/\{\\\*\\filler $/);
  });

  test('writes plain text in UTF-8 with a byte order mark', async () => {
    const text = (await bytesOf('txt')).toString('utf8');
    expect(text.startsWith(`\ufeff${NAME}\nzoe@people.example\nNurse & carer`)).toBe(true);
  });
});
