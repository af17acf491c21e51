import { BffError } from 'partner-bff-client';

/** A file that can be shown. */
export type ReadableFile =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'pdf'; readonly blob: Blob };

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
/** A résumé is a few pages. */
const TEXT_BYTES_MAX = 2_000_000;

/**
 * Fetches a file by a link that works once, and makes what a page can show of it; undefined for a format that browsers
 * cannot read (doc, rtf). The service sends files for saving, never for display, so a script shows it.
 */
export async function readFile(url: string, signal: AbortSignal): Promise<ReadableFile | undefined> {
  const response = await fetch(url, { signal, credentials: 'omit', redirect: 'error' }).catch(
    (error: unknown) => {
      signal.throwIfAborted();
      throw new BffError('NETWORK_ERROR', 'The file did not arrive.', { cause: error });
    },
  );
  if (!response.ok) throw new BffError('NOT_FOUND', 'The link to the file has expired. Load the page again.');
  const type = response.headers.get('content-type')?.split(';')[0];
  const bytes = await response.arrayBuffer();
  if (type === 'application/pdf') return { kind: 'pdf', blob: new Blob([bytes], { type }) };
  if (type === 'text/plain') return { kind: 'text', text: new TextDecoder().decode(bytes) };
  const text = type === DOCX ? await textOfDocx(bytes).catch(() => undefined) : undefined;
  return text === undefined ? undefined : { kind: 'text', text };
}

/** The paragraphs of a Word document: `word/document.xml` in a ZIP archive (ECMA-376; APPNOTE 4.3). */
async function textOfDocx(bytes: ArrayBuffer): Promise<string | undefined> {
  const part = findEntry(new DataView(bytes), 'word/document.xml');
  if (!part) return undefined;
  const packed = new Blob([bytes.slice(part.start, part.start + part.bytes)]);
  const stream = part.isDeflated
    ? packed.stream().pipeThrough(new DecompressionStream('deflate-raw'))
    : packed.stream();
  const xml = await boundedText(stream);
  const document = new DOMParser().parseFromString(xml, 'application/xml');
  return [...document.getElementsByTagNameNS('*', 'p')]
    .map((paragraph) =>
      [...paragraph.getElementsByTagNameNS('*', 't')].map((run) => run.textContent).join(''),
    )
    .join('\n');
}

/** Where an entry of the central directory has its data. */
function findEntry(view: DataView, wanted: string) {
  let end = view.byteLength - 22;
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end -= 1;
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
    const [nameBytes, extraBytes] = [view.getUint16(at + 28, true), view.getUint16(at + 30, true)];
    const name = new TextDecoder().decode(new Uint8Array(view.buffer, at + 46, nameBytes));
    if (name === wanted) {
      const local = view.getUint32(at + 42, true);
      const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
      return { start, bytes: view.getUint32(at + 20, true), isDeflated: view.getUint16(at + 10, true) === 8 };
    }
    at += 46 + nameBytes + extraBytes + view.getUint16(at + 32, true);
  }
  return undefined;
}

/** A text that may be packed very small and be very large. */
async function boundedText(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value.length;
    if (bytes > TEXT_BYTES_MAX) throw new RangeError('too long');
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}
