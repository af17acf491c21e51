/**
 * Files behind sealed links: into memory, or as a URL that works once.
 * @packageDocumentation
 */
import { ask, askJson, withDeadline } from './ask.js';
import type { Bff } from './bff.js';
import { BffError } from './bff-error.js';
import { throwIfAborted } from './read-json.js';
import { fileOf, pathOf, type FileHead } from './sealed-link.js';

export type { FileHead } from './sealed-link.js';

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
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<DownloadedFile> {
  const { session } = bff;
  const either = signal ? AbortSignal.any([session.signal, signal]) : session.signal;
  const path = pathOf(bff.options.url, link);
  const { response } = await ask(bff, path, { method: 'GET', signal: either });
  try {
    return { ...fileOf(response), blob: await response.blob() };
  } catch (cause) {
    throwIfAborted(either);
    throw new BffError('NETWORK_ERROR', 'The file did not arrive completely. Try again.', { cause });
  }
}

/**
 * A URL for the file that works once, within a minute, without credentials: for `<a href>` and viewers, which cannot
 * send a token. Make it when it is needed, and share it with no one.
 * @throws BffError `NOT_FOUND` for a sealed link that has expired
 */
export async function createAttachmentLink(
  bff: Bff,
  link: string,
  options: { readonly signal?: AbortSignal } = {},
): Promise<AttachmentLink> {
  const signal = withDeadline(bff, bff.session, options.signal);
  const answer = await askJson<{ url: string; expires_in: number }>(bff, '/attachments/links', {
    body: { path: pathOf(bff.options.url, link) },
    signal,
  });
  return { url: bff.options.url.replace(/\/$/, '') + answer.url, expiresIn: answer.expires_in };
}
