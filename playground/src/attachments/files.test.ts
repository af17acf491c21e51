import { buffer } from 'node:stream/consumers';
import { inflateRawSync } from 'node:zlib';
import { makeFile } from './files.js';

const NAME = 'Zoë O\u2019Connor (\\{ศรีสุข})';
const DOCUMENT = [NAME, 'zoe@people.example', 'Nurse & carer, <Wattle>', 'word '.repeat(40).trim()];

const bytesOf = async (format: Parameters<typeof makeFile>[0], bytes = 0): Promise<Buffer> =>
  buffer(makeFile(format, DOCUMENT, bytes).read());

/** The parts of a zip by name, found through its directory. */
function unzip(zip: Buffer): Map<string, string> {
  const parts = new Map<string, string>();
  let entry = zip.readUInt32LE(zip.length - 6);
  for (let n = zip.readUInt16LE(zip.length - 12); n > 0; n--) {
    expect(zip.subarray(entry, entry + 4).toString('latin1')).toBe('PK\u0001\u0002');
    const nameBytes = zip.readUInt16LE(entry + 28);
    const name = zip.toString('utf8', entry + 46, entry + 46 + nameBytes);
    const local = zip.readUInt32LE(entry + 42);
    const start = local + 30 + zip.readUInt16LE(local + 26);
    const data = zip.subarray(start, start + zip.readUInt32LE(entry + 20));
    parts.set(name, inflateRawSync(data).toString());
    entry += 46 + nameBytes;
  }
  return parts;
}

describe('makeFile', () => {
  test.each(['doc', 'docx', 'pdf', 'rtf', 'txt'] as const)(
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

  test.each([0, 5_000])('makes a docx of %i bytes whose directory leads to its parts', async (bytes) => {
    const parts = unzip(await bytesOf('docx', bytes));
    expect([...parts.keys()]).toEqual(['[Content_Types].xml', '_rels/.rels', 'word/document.xml']);
    const document = parts.get('word/document.xml') ?? '';
    expect(document).toContain(`>${NAME}</w:t>`);
    expect(document).toContain('>Nurse &amp; carer, &lt;Wattle&gt;</w:t>');
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
