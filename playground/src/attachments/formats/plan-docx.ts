import { crc32, deflateRawSync } from 'node:zlib';
import { paragraphsOf, type Document, type FilePlan, type Paragraph } from '../document.js';

const PREFIX = 'http://schemas.openxmlformats.org';
const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const TYPES = `${XML}<Types xmlns="${PREFIX}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`;
const RELATIONSHIPS = `${XML}<Relationships xmlns="${PREFIX}/package/2006/relationships"><Relationship Id="r" Type="${PREFIX}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`;

/** Run properties: boldness, and size in half points. */
const STYLES: Readonly<Record<Paragraph['style'], string>> = {
  title: '<w:b/><w:sz w:val="40"/>',
  heading: '<w:b/><w:sz w:val="26"/>',
  text: '<w:sz w:val="22"/>',
};

/** Office Open XML: a zip of three parts. The filler is between the parts and the directory, which readers skip. */
export function planDocx(document: Document, bytes: number): FilePlan {
  const parts = [
    ['[Content_Types].xml', TYPES],
    ['_rels/.rels', RELATIONSHIPS],
    ['word/document.xml', bodyOf(paragraphsOf(document))],
  ] as const;
  let head = Buffer.alloc(0);
  let directory = Buffer.alloc(0);
  for (const [name, content] of parts) {
    const entry = makeZipEntry(name, Buffer.from(content), head.length);
    head = Buffer.concat([head, entry.local]);
    directory = Buffer.concat([directory, entry.central]);
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(Math.max(bytes - directory.length - end.length, head.length), 16);
  return { head, filler: Buffer.of(0), tail: Buffer.concat([directory, end]) };
}

function bodyOf(paragraphs: readonly Paragraph[]): string {
  const written = paragraphs.map(
    ({ style, text }) =>
      `<w:p><w:r><w:rPr>${STYLES[style]}</w:rPr><w:t xml:space="preserve">${escape(text)}</w:t></w:r></w:p>`,
  );
  return `${XML}<w:document xmlns:w="${PREFIX}/wordprocessingml/2006/main"><w:body>${written.join('')}</w:body></w:document>`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
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
