/** Bytes of a file: start and end of its format, with filler in between to reach a size. Readers do not show the filler. */
export interface FilePlan {
  readonly head: Buffer;
  readonly filler: Buffer;
  readonly tail: Buffer;
}

/** Whole words of 88 characters at most, as the page is wide, or one that is longer. */
const LINE = /\S(?:.{0,86}\S)?(?=\s|$)|\S+/g;

/**
 * PDF 1.4 of one page, in a font that every reader has (ISO 32000, 9.6.2.2): what is no western letter is a question mark. The
 * filler is a comment before the cross-reference table.
 */
export function planPdf(paragraphs: readonly string[], bytes: number): FilePlan {
  const lines = paragraphs.flatMap((text) => text.match(LINE) ?? []).map((line) => `(${escape(line)}) Tj T*`);
  // Text begins at the upper left of an A4 page, 11 points high in lines of 17.
  const content = `BT\n/Text 11 Tf 17 TL 64 770 Td\n${lines.join('\n')}\nET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /Text 5 0 R >> >> >>',
    `<< /Length ${String(content.length)} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  ];
  let head = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = head.length;
    head += `${String(index + 1)} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  head += '%';
  const tail = endOf(offsets, head.length, bytes);
  return { head: Buffer.from(head, 'latin1'), filler: Buffer.from('.'), tail };
}

/** The cross-reference table, which states its own place: known, since the filler fills the file up to its size. */
function endOf(offsets: readonly number[], headBytes: number, bytes: number): Buffer {
  const size = String(offsets.length + 1);
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${entries}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n`;
  const end = '\n%%EOF\n';
  const tableOffset = Math.max(bytes - table.length - 10 - end.length, headBytes + 1);
  return Buffer.from(`\n${table}${String(tableOffset).padStart(10, '0')}${end}`);
}

function escape(text: string): string {
  return text.replace(/[^\x20-\xff]/g, '?').replace(/[\\()]/g, (mark) => `\\${mark}`);
}
