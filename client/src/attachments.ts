/**
 * Files behind sealed links: into memory, onto the disk, or as a URL that works once.
 * @packageDocumentation
 */
import type { Bff } from './bff.js';
import { readJson } from './read-json.js';
import { BffError } from './bff-error.js';

/** How much of a file has arrived. */
export interface Progress {
  readonly loadedBytes: number;
  /** Undefined if the answer does not say. */
  readonly totalBytes: number | undefined;
}

/** How to fetch a file. */
export interface DownloadOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** What is known of a file besides its content. */
export interface FileHead {
  /** The name that the upstream gives it, without any folder. */
  readonly fileName: string;
  readonly contentType: string;
}

/** A file in memory. */
export interface DownloadedFile extends FileHead {
  readonly blob: Blob;
}

/** A one-use link. */
export interface AttachmentLink {
  /** Works once, for anyone who has it. */
  readonly url: string;
  /** Seconds until it no longer works. */
  readonly expiresIn: number;
}

/** The browser's dialog for saving a file, where it has one. */
interface SavePicker {
  showSaveFilePicker?: (options: { suggestedName: string }) => Promise<{
    createWritable(): Promise<WritableStream<Uint8Array>>;
  }>;
}

/**
 * A file behind a sealed link (`/attachments/…`, from the answer of a registered operation), into memory.
 * @throws BffError `NOT_FOUND` when the link has expired: run the operation again for a new one
 */
export async function downloadAttachment(
  bff: Bff,
  link: string,
  options: DownloadOptions = {},
): Promise<DownloadedFile> {
  const { head, body } = await open(bff, link, options);
  const blob = await whole(new Response(body, { headers: { 'Content-Type': head.contentType } }));
  return { ...head, blob };
}

/**
 * The same file into a stream, such as one of the disk, without holding it in memory.
 * @throws BffError
 */
export async function pipeAttachment(
  bff: Bff,
  link: string,
  to: WritableStream<Uint8Array>,
  options: DownloadOptions = {},
): Promise<FileHead> {
  const { head, body } = await open(bff, link, options);
  await body.pipeTo(to);
  return head;
}

/**
 * Saves the file on the user's disk: as a stream to a place that the user chooses, where the browser can do that, else
 * through memory to its folder of downloads. Call it in the handler of a click, since browsers ask for a place only then.
 * @param fileName suggested to the user
 * @throws BffError; `AbortError` when the user closes the dialog
 */
export async function saveAttachment(
  bff: Bff,
  link: string,
  fileName: string,
  options: DownloadOptions = {},
): Promise<void> {
  const { showSaveFilePicker } = globalThis as SavePicker;
  if (showSaveFilePicker) {
    const file = await showSaveFilePicker({ suggestedName: fileName });
    await pipeAttachment(bff, link, await file.createWritable(), options);
    return;
  }
  const { blob } = await downloadAttachment(bff, link, options);
  const url = URL.createObjectURL(blob);
  Object.assign(document.createElement('a'), { href: url, download: fileName }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/**
 * A URL for the file that works once, within a minute, without credentials: for `<a href>` and viewers, which cannot
 * send a token. Make it when it is used, and pass it to nobody else.
 * @throws BffError `NOT_FOUND` for a sealed link that has expired
 */
export async function createAttachmentLink(
  bff: Bff,
  link: string,
  { signal }: { signal?: AbortSignal } = {},
): Promise<AttachmentLink> {
  const bounded = bff.bounded(bff.session, signal);
  const { response } = await bff.ask('/attachments/links', {
    body: { path: pathOf(bff, link) },
    signal: bounded,
  });
  const answer = (await readJson(response, bounded)) as { url: string; expires_in: number };
  return { url: bff.options.url.replace(/\/$/, '') + answer.url, expiresIn: answer.expires_in };
}

async function open(bff: Bff, link: string, { signal, onProgress }: DownloadOptions) {
  const { session } = bff;
  const either = signal ? AbortSignal.any([session.signal, signal]) : session.signal;
  const { response } = await bff.ask(pathOf(bff, link), { method: 'GET', signal: either });
  const { headers } = response;
  const head: FileHead = {
    fileName: fileNameOf(headers.get('content-disposition') ?? ''),
    contentType: headers.get('content-type') ?? 'application/octet-stream',
  };
  const total = headers.get('content-length');
  const body = response.body!.pipeThrough(counter(total === null ? undefined : Number(total), onProgress));
  return { head, body };
}

/** The path of a sealed link. Anything else is refused: the request carries the user's token. */
function pathOf(bff: Bff, link: string): string {
  const base = bff.options.url.replace(/\/$/, '');
  const path = link.startsWith(`${base}/`) ? link.slice(base.length) : link;
  if (!/^\/attachments\/[\w-]+$/.test(path)) throw new TypeError('This is no link to an attachment.');
  return path;
}

function counter(totalBytes: number | undefined, onProgress: DownloadOptions['onProgress']) {
  let loadedBytes = 0;
  return new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      loadedBytes += chunk.length;
      controller.enqueue(chunk);
      onProgress?.({ loadedBytes, totalBytes });
    },
  });
}

async function whole(response: Response): Promise<Blob> {
  try {
    return await response.blob();
  } catch (error) {
    if (error instanceof BffError || (error as Error).name === 'AbortError') throw error;
    throw new BffError('NETWORK_ERROR', 'The file did not arrive completely. Try again.', { cause: error });
  }
}

/** The file name of a `Content-Disposition` (RFC 6266), the encoded one first, without any folder. */
function fileNameOf(disposition: string): string {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
  const plain = /filename="?([^";]+)"?/i.exec(disposition)?.[1];
  const name = encoded === undefined ? plain : decodeURIComponent(encoded);
  return name?.replaceAll(/^.*[\\/]/g, '') || 'attachment';
}
