/**
 * Files behind sealed links: into memory, onto the disk, or as a URL that works once.
 * @packageDocumentation
 */
import { ask, withDeadline } from './ask.js';
import type { Bff } from './bff.js';
import { BffError } from './bff-error.js';
import { readJson } from './read-json.js';
import { fileOf, pathOf, type FileHead } from './sealed-link.js';

export type { FileHead } from './sealed-link.js';

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
    /** Chromium's own. */
    remove?(): Promise<void>;
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
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const memory = new WritableStream<Uint8Array<ArrayBuffer>>({ write: (chunk) => void chunks.push(chunk) });
  const head = await pipeAttachment(bff, link, memory, options);
  return { ...head, blob: new Blob(chunks, { type: head.contentType }) };
}

/**
 * The same file into a stream, such as one of the disk, without holding it in memory. The stream is closed when the file
 * is complete, else aborted.
 * @throws BffError
 */
export async function pipeAttachment(
  bff: Bff,
  link: string,
  to: WritableStream<Uint8Array>,
  { signal, onProgress }: DownloadOptions = {},
): Promise<FileHead> {
  const { session } = bff;
  const either = signal ? AbortSignal.any([session.signal, signal]) : session.signal;
  const response = await open(bff, link, either).catch(async (error: unknown) => {
    await to.abort(error);
    throw error;
  });
  await counted(response, onProgress).pipeTo(to, { signal: either });
  return fileOf(response);
}

/**
 * Saves the file on the user's disk: as a stream to a place that the user chooses, where the browser can do that, else
 * through memory to its folder of downloads. Call it in the handler of a click, since browsers ask for a place only then.
 * @param fileName suggested to the user
 * @throws BffError; `AbortError` when the user closes the dialog. No part of the file is left then
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
    try {
      await pipeAttachment(bff, link, await file.createWritable(), options);
    } catch (error) {
      await file.remove?.().catch(() => undefined); // the dialog has already created or emptied it
      throw error;
    }
    return;
  }
  const { blob } = await downloadAttachment(bff, link, options);
  const url = URL.createObjectURL(blob);
  Object.assign(document.createElement('a'), { href: url, download: fileName }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/**
 * A URL for the file that works once, within a minute, without credentials: for `<a href>` and viewers, which cannot
 * send a token. Make it when it is needed, and share it with no one.
 * @throws BffError `NOT_FOUND` for a sealed link that has expired
 */
export async function createAttachmentLink(
  bff: Bff,
  link: string,
  options: { signal?: AbortSignal } = {},
): Promise<AttachmentLink> {
  const signal = withDeadline(bff, bff.session, options.signal);
  const { response } = await ask(bff, '/attachments/links', {
    body: { path: pathOf(bff.options.url, link) },
    signal,
  });
  const answer = (await readJson(response, signal)) as { url: string; expires_in: number };
  return { url: bff.options.url.replace(/\/$/, '') + answer.url, expiresIn: answer.expires_in };
}

async function open(bff: Bff, link: string, signal: AbortSignal): Promise<Response> {
  return (await ask(bff, pathOf(bff.options.url, link), { method: 'GET', signal })).response;
}

/** The bytes of an answer as they arrive. */
function counted({ headers, body }: Response, onProgress: DownloadOptions['onProgress']) {
  const total = headers.get('content-length');
  const totalBytes = total === null ? undefined : Number(total);
  const reader = body!.getReader();
  let loadedBytes = 0;
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = await reader.read().catch(brokenOff);
      if (done) return controller.close();
      loadedBytes += value.length;
      controller.enqueue(value);
      onProgress?.({ loadedBytes, totalBytes });
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

function brokenOff(cause: unknown): never {
  throw new BffError('NETWORK_ERROR', 'The file did not arrive completely. Try again.', { cause });
}
