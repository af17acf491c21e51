import { paragraphsOf, type Document, type FilePlan, type Paragraph } from '../document.js';

/** Points of an A4 page and its margins. */
const PAGE = { width: 595, height: 842, left: 64, top: 72 };
const LINE_CHARACTERS_MAX = 88;
/** Font, size in points, and space above and within. */
const STYLES: Readonly<
  Record<Paragraph['style'], { font: string; size: number; above: number; line: number }>
> = {
  title: { font: 'Bold', size: 20, above: 0, line: 26 },
  heading: { font: 'Bold', size: 13, above: 14, line: 18 },
  text: { font: 'Text', size: 11, above: 2, line: 15 },
};

/**
 * PDF 1.4 of one page, in the fonts that every reader has (ISO 32000, 9.6.2.2): those write western languages only.
 * The filler is a comment before the cross-reference table.
 */
export function planPdf(document: Document, bytes: number): FilePlan {
  const content = drawPage(paragraphsOf(document));
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${String(PAGE.width)} ${String(PAGE.height)}] /Contents 4 0 R ` +
      '/Resources << /Font << /Text 5 0 R /Bold 6 0 R >> >> >>',
    `<< /Length ${String(content.length)} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>',
  ];
  let head = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = head.length;
    head += `${String(index + 1)} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  head += '%';
  return {
    head: Buffer.from(head, 'latin1'),
    filler: Buffer.from('.'),
    tail: endOf(offsets, head.length, bytes),
  };
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

/** The operators that draw the paragraphs from the top of the page down. */
function drawPage(paragraphs: readonly Paragraph[]): string {
  let y = PAGE.height - PAGE.top;
  const lines = paragraphs.flatMap(({ style, text }) => {
    const { font, size, above, line } = STYLES[style];
    y -= above;
    return wrap(text).map((part) => {
      y -= line;
      return `/${font} ${String(size)} Tf 1 0 0 1 ${String(PAGE.left)} ${String(y)} Tm (${escape(part)}) Tj`;
    });
  });
  return `BT\n${lines.join('\n')}\nET`;
}

function wrap(text: string): string[] {
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last === '') lines[lines.length - 1] = word;
    else if (last.length + word.length < LINE_CHARACTERS_MAX) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function escape(text: string): string {
  return text.replace(/[^\x20-\xff]/g, '?').replace(/[\\()]/g, (mark) => `\\${mark}`);
}
