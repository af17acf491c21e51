import { inflateRawSync } from 'node:zlib';
import { buffer } from 'node:stream/consumers';
import { makeFile } from './file-content.js';

describe('makeFile', () => {
  test.each(['doc', 'docx', 'pdf', 'rtf', 'txt'] as const)(
    'makes a %s of exactly the size asked for',
    async (format) => {
      for (const bytes of [2_000, 65_536, 200_001]) {
        const file = makeFile(format, bytes);
        expect([file.bytes, (await buffer(file.read())).length]).toEqual([bytes, bytes]);
      }
    },
  );

  test('makes a PDF whose cross-reference table is at the stated position', async () => {
    const text = (await buffer(makeFile('pdf', 5_000).read())).toString('latin1');
    const offset = Number(/startxref\n(\d+)/.exec(text)?.[1]);
    expect(text.slice(offset, offset + 4)).toBe('xref');
    const objectOffset = Number(/0000000000 65535 f \n(\d{10})/.exec(text)?.[1]);
    expect(text.slice(objectOffset, objectOffset + 7)).toBe('1 0 obj');
  });

  test('makes a docx whose directory leads to its parts', async () => {
    const zip = await buffer(makeFile('docx', 5_000).read());
    const directory = zip.readUInt32LE(zip.length - 6);
    expect(zip.subarray(directory, directory + 4).toString('latin1')).toBe('PK\u0001\u0002');
    const size = zip.readUInt32LE(directory + 20);
    const local = zip.readUInt32LE(directory + 42);
    const start = local + 30 + zip.readUInt16LE(local + 26);
    expect(inflateRawSync(zip.subarray(start, start + size)).toString()).toMatch(/^<Types /);
  });
});
