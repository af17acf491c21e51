/**
 * Files behind sealed links: into memory, or as a URL that works once.
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

/**
 * A file behind a sealed link (`/attachments/…`, from the answer of a registered operation), into memory.
 * @throws BffError `NOT_FOUND` when the link has expired: run the operation again for a new one
 */
export async function downloadAttachment(
  bff: Bff,
  link: string,
  { signal, onProgress }: DownloadOptions = {},
): Promise<DownloadedFile> {
  const { session } = bff;
  const either = signal ? AbortSignal.any([session.signal, signal]) : session.signal;
  const path = pathOf(bff.options.url, link);
  const { response } = await ask(bff, path, { method: 'GET', signal: either });
  const head = fileOf(response);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const memory = new WritableStream<Uint8Array<ArrayBuffer>>({ write: (chunk) => void chunks.push(chunk) });
  await counted(response, onProgress).pipeTo(memory, { signal: either });
  return { ...head, blob: new Blob(chunks, { type: head.contentType }) };
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

/** The bytes of an answer as they arrive. */
function counted({ headers, body }: Response, onProgress: DownloadOptions['onProgress']) {
  const total = headers.get('content-length');
  const totalBytes = total === null ? undefined : Number(total);
  const reader = body!.getReader();
  let loadedBytes = 0;
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
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
