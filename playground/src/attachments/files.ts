import { Readable } from 'node:stream';
import { crc32, deflateRawSync } from 'node:zlib';
import type { AttachmentFormat } from '../data/records.js';
import { planPdf, type FilePlan } from './pdf.js';

/** The Content-Type of each format. */
export const MEDIA_TYPES: Readonly<Record<AttachmentFormat, string>> = {
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  pdf: 'application/pdf',
  rtf: 'application/rtf',
  txt: 'text/plain',
};

const CHUNK_BYTES = 65_536;
const LINE_OF_FILLER = Buffer.from('A line of filler.\n');

/**
 * Paragraphs as a file of the given format, filled up to the given size; 0 for just what it takes. Its bytes are the
 * same each time, and made while they are read.
 */
export function makeFile(
  format: AttachmentFormat,
  paragraphs: readonly string[],
  bytes: number,
): { bytes: number; read: () => Readable } {
  const plan = planFile(format, paragraphs, bytes);
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
  if (tail.length > 0) yield tail;
}

function planFile(format: AttachmentFormat, paragraphs: readonly string[], bytes: number): FilePlan {
  switch (format) {
    case 'txt':
      return planTxt(paragraphs);
    // Word opens rich text under the name .doc as well.
    case 'doc':
    case 'rtf':
      return planRtf(paragraphs);
    case 'pdf':
      return planPdf(paragraphs, bytes);
    case 'docx':
      return planDocx(paragraphs, bytes);
  }
}

/** UTF-8 with a byte order mark, as editors of office suites write it. Plain text cannot hide its filler. */
function planTxt(paragraphs: readonly string[]): FilePlan {
  const head = Buffer.from(`\ufeff${paragraphs.join('\n')}\n`);
  return { head, filler: LINE_OF_FILLER, tail: Buffer.alloc(0) };
}

/** Rich Text Format 1.5. The filler stands in a destination that readers ignore. */
function planRtf(paragraphs: readonly string[]): FilePlan {
  // Outside ASCII: a signed UTF-16 unit, with a question mark for readers that know none.
  const written = paragraphs.map((text) =>
    text
      .replace(/[\\{}]/g, (mark) => `\\${mark}`)
      .replace(/[^\x20-\x7e]/g, (unit) => `\\u${String((unit.charCodeAt(0) << 16) >> 16)}?`),
  );
  const start = String.raw`{\rtf1\ansi\ansicpg1252\uc1\deff0{\fonttbl{\f0\fswiss Arial;}}\f0`;
  const lines = written.map((text) => String.raw`{\pard\sa80\fs22 ${text}\par}`);
  const head = Buffer.from(`${start}\n${lines.join('\n')}\n{\\*\\filler `, 'latin1');
  return { head, filler: LINE_OF_FILLER, tail: Buffer.from('}}') };
}

const PREFIX = 'http://schemas.openxmlformats.org';
const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const TYPES = `${XML}<Types xmlns="${PREFIX}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`;
const RELATIONSHIPS = `${XML}<Relationships xmlns="${PREFIX}/package/2006/relationships"><Relationship Id="r" Type="${PREFIX}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`;

/** Office Open XML: a zip of three parts. The filler is between the parts and the directory, which readers skip. */
function planDocx(paragraphs: readonly string[], bytes: number): FilePlan {
  const escape = (text: string): string =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const body = paragraphs.map(
    (text) => `<w:p><w:r><w:t xml:space="preserve">${escape(text)}</w:t></w:r></w:p>`,
  );
  const document = `${XML}<w:document xmlns:w="${PREFIX}/wordprocessingml/2006/main"><w:body>${body.join('')}</w:body></w:document>`;
  const parts = { '[Content_Types].xml': TYPES, '_rels/.rels': RELATIONSHIPS, 'word/document.xml': document };
  let head = Buffer.alloc(0);
  let directory = Buffer.alloc(0);
  for (const [name, content] of Object.entries(parts)) {
    const entry = makeZipEntry(name, Buffer.from(content), head.length);
    head = Buffer.concat([head, entry.local]);
    directory = Buffer.concat([directory, entry.central]);
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(parts).length, 8);
  end.writeUInt16LE(Object.keys(parts).length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(Math.max(bytes - directory.length - end.length, head.length), 16);
  return { head, filler: Buffer.of(0), tail: Buffer.concat([directory, end]) };
}

/** Local header with data, and its line in the directory (APPNOTE 4.3.7, 4.3.12). */
function makeZipEntry(name: string, content: Buffer, offset: number): { local: Buffer; central: Buffer } {
  const data = deflateRawSync(content);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(8, 4);
  common.writeUInt16LE(0x21, 8);
  common.writeUInt32LE(crc32(content), 10);
  common.writeUInt32LE(data.length, 14);
  common.writeUInt32LE(content.length, 18);
  common.writeUInt16LE(name.length, 22);
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(offset, 10);
  return {
    local: Buffer.concat([Buffer.from('PK\u0003\u0004'), common, Buffer.from(name), data]),
    central: Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0000'), common, rest, Buffer.from(name)]),
  };
}
