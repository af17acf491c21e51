import { crc32, deflateRawSync } from 'node:zlib';
import { Readable } from 'node:stream';
import type { AttachmentFormat } from '../data/records.js';

/** Bytes of a file: start and end of its format, with filler in between to reach its size. */
interface FilePlan {
  readonly head: Buffer;
  readonly filler: Buffer;
  readonly tail: Buffer;
}

/** The Content-Type of each format. */
export const MEDIA_TYPES: Readonly<Record<AttachmentFormat, string>> = {
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  pdf: 'application/pdf',
  rtf: 'application/rtf',
  txt: 'text/plain',
};

const CHUNK_BYTES = 65_536;

/** A file of the given format and size. Its bytes are the same each time, and made while they are read. */
export function makeFile(format: AttachmentFormat, bytes: number): { bytes: number; read: () => Readable } {
  const plan = planFile(format, bytes);
  const least = plan.head.length + plan.tail.length;
  const total = Math.max(bytes, least);
  return { bytes: total, read: () => Readable.from(chunksOf(plan, total - least), { objectMode: false }) };
}

function* chunksOf({ head, filler, tail }: FilePlan, fillerBytes: number): Generator<Buffer> {
  yield head;
  const chunk = Buffer.alloc(CHUNK_BYTES, filler);
  for (let left = fillerBytes; left > 0; left -= CHUNK_BYTES) {
    yield chunk.subarray(0, Math.min(left, CHUNK_BYTES));
  }
  yield tail;
}

function planFile(format: AttachmentFormat, bytes: number): FilePlan {
  switch (format) {
    case 'txt':
      return {
        head: Buffer.from('Made by the playground.\n'),
        filler: Buffer.from('A line of filler.\n'),
        tail: Buffer.alloc(0),
      };
    // Word opens rich text under the name .doc as well.
    case 'doc':
    case 'rtf':
      return {
        head: Buffer.from('{\\rtf1\\ansi Made by the playground.\\par\n'),
        filler: Buffer.from('A line of filler.\n'),
        tail: Buffer.from('\n}'),
      };
    case 'pdf':
      return planPdf(bytes);
    case 'docx':
      return planDocx(bytes);
  }
}

/** One empty page; the filler is a comment before the cross-reference table. */
function planPdf(bytes: number): FilePlan {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>',
  ];
  let head = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = head.length;
    head += `${String(index + 1)} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  head += '%';
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const table = `xref\n0 4\n0000000000 65535 f \n${entries}trailer\n<< /Size 4 /Root 1 0 R >>\nstartxref\n`;
  const end = '\n%%EOF\n';
  const tableOffset = Math.max(bytes - table.length - 10 - end.length, head.length + 1);
  const tail = `\n${table}${String(tableOffset).padStart(10, '0')}${end}`;
  return { head: Buffer.from(head), filler: Buffer.from('.'), tail: Buffer.from(tail) };
}

const DOCX_PARTS: readonly (readonly [name: string, content: string])[] = [
  [
    '[Content_Types].xml',
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
  ],
  [
    '_rels/.rels',
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
  ],
  [
    'word/document.xml',
    '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>Made by the playground.</w:t></w:r></w:p></w:body></w:document>',
  ],
];

/** A zip of three parts; the filler is between the parts and the directory, which readers skip. */
function planDocx(bytes: number): FilePlan {
  let head = Buffer.alloc(0);
  let directory = Buffer.alloc(0);
  for (const [name, content] of DOCX_PARTS) {
    const entry = makeZipEntry(name, content, head.length);
    head = Buffer.concat([head, entry.local]);
    directory = Buffer.concat([directory, entry.central]);
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(DOCX_PARTS.length, 8);
  end.writeUInt16LE(DOCX_PARTS.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(Math.max(bytes - directory.length - end.length, head.length), 16);
  return { head, filler: Buffer.of(0), tail: Buffer.concat([directory, end]) };
}

/** Local header with data, and its line in the directory (APPNOTE 4.3.7, 4.3.12). */
function makeZipEntry(name: string, content: string, offset: number): { local: Buffer; central: Buffer } {
  const data = deflateRawSync(content);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(8, 4);
  common.writeUInt16LE(0x21, 8);
  common.writeUInt32LE(crc32(content), 10);
  common.writeUInt32LE(data.length, 14);
  common.writeUInt32LE(Buffer.byteLength(content), 18);
  common.writeUInt16LE(name.length, 22);
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(offset, 10);
  return {
    local: Buffer.concat([Buffer.from('PK\u0003\u0004'), common, Buffer.from(name), data]),
    central: Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0000'), common, rest, Buffer.from(name)]),
  };
}
