import { BffError } from 'partner-bff-client';

/** A file that can be shown. */
export type ReadableFile =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'pdf'; readonly blob: Blob };

/**
 * Fetches a file by a link that works once, and makes what a page can show of it; undefined for a format that browsers
 * cannot read. The service sends files for saving, never for display, so a script shows it.
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
  if (type === 'application/pdf') return { kind: 'pdf', blob: await response.blob() };
  return type === 'text/plain' ? { kind: 'text', text: await response.text() } : undefined;
}
