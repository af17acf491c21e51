import { Readable } from 'node:stream';
import type { AttachmentFormat } from '../data/records.js';
import { planPdf, type FilePlan } from './pdf.js';

/** The Content-Type of each format. */
export const MEDIA_TYPES: Readonly<Record<AttachmentFormat, string>> = {
  doc: 'application/msword',
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
