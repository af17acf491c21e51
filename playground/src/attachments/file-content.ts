import { Readable } from 'node:stream';
import type { AttachmentFormat } from '../data/records.js';
import type { Document, FilePlan } from './document.js';
import { planDocx } from './formats/plan-docx.js';
import { planPdf } from './formats/plan-pdf.js';
import { planRtf } from './formats/plan-rtf.js';
import { planTxt } from './formats/plan-txt.js';

/** The Content-Type of each format. */
export const MEDIA_TYPES: Readonly<Record<AttachmentFormat, string>> = {
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  pdf: 'application/pdf',
  rtf: 'application/rtf',
  txt: 'text/plain',
};

const CHUNK_BYTES = 65_536;

/**
 * A document as a file of the given format, filled up to the given size; 0 for just what it takes. Its bytes are the
 * same each time, and made while they are read.
 */
export function makeFile(
  format: AttachmentFormat,
  document: Document,
  bytes: number,
): { bytes: number; read: () => Readable } {
  const plan = planFile(format, document, bytes);
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

function planFile(format: AttachmentFormat, document: Document, bytes: number): FilePlan {
  switch (format) {
    case 'txt':
      return planTxt(document);
    // Word opens rich text under the name .doc as well.
    case 'doc':
    case 'rtf':
      return planRtf(document);
    case 'pdf':
      return planPdf(document, bytes);
    case 'docx':
      return planDocx(document, bytes);
  }
}
