import { randomUUID } from 'node:crypto';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { BffError } from '../bff-error.js';
import type { FileHead } from '../sealed-link.js';

/** A file on the disk. */
export interface SavedFile extends FileHead {
  readonly bytes: number;
}

/** Bounds of a download. */
export interface SaveBounds {
  readonly bytesMax: number;
  /** Called for each part that arrives. */
  readonly onChunk: () => void;
}

/**
 * Streams the body of an answer into a file, which appears under its name when it is complete and on the disk.
 * @returns its length in bytes
 * @throws BffError if not every byte arrived, or too many; no part of the file is left then
 */
export async function saveAnswer(response: Response, file: string, bounds: SaveBounds): Promise<number> {
  const part = `${file}.${randomUUID()}.part`;
  const handle = await open(part, 'wx', 0o600);
  try {
    const bytes = await writeAll(response, handle, bounds).finally(() => handle.close());
    await rename(part, file);
    return bytes;
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

async function writeAll(response: Response, handle: FileHandle, bounds: SaveBounds): Promise<number> {
  const length = response.headers.get('content-length');
  let bytes = 0;
  for await (const chunk of chunksOf(response)) {
    bounds.onChunk();
    bytes += chunk.length;
    if (bytes > bounds.bytesMax) {
      throw new BffError('PAYLOAD_TOO_LARGE', `The file is larger than ${bounds.bytesMax} bytes.`);
    }
    await handle.writeFile(chunk);
  }
  if (length !== null && bytes !== Number(length)) throw incomplete();
  await handle.sync();
  return bytes;
}

/** The parts of a body; the rest of it is cancelled when the caller stops. */
async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array, void> {
  const reader = (body as ReadableStream<Uint8Array> | null)?.getReader();
  if (reader === undefined) return;
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw incomplete(cause);
      });
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined); // broken already
  }
}

function incomplete(cause?: unknown): BffError {
  return new BffError('NETWORK_ERROR', 'The file did not arrive completely. Try again.', { cause });
}
