import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { Fault } from '../faults/fault.js';
import type { Answer } from './exchange.js';

/** Sends an answer; `truncate` and `dripMs` of a fault decide how much of it arrives, and how slowly. */
export async function sendAnswer(
  response: ServerResponse,
  { status, headers, body }: Answer,
  isHead: boolean,
  fault: Fault | undefined,
): Promise<void> {
  const bytes = body instanceof Readable ? undefined : Buffer.from(body ?? '');
  const isCounted = bytes !== undefined && status !== 204 && !(isHead && body === undefined);
  response.writeHead(status, { ...(isCounted && { 'Content-Length': String(bytes.length) }), ...headers });
  const chunks = body instanceof Readable ? (body as AsyncIterable<Buffer>) : [bytes ?? Buffer.alloc(0)];
  if (isHead) {
    if (body instanceof Readable) body.destroy();
    response.end();
  } else if (fault?.truncate === true) {
    await sendHalf(response, chunks);
  } else if (fault?.dripMs !== undefined) {
    await drip(response, chunks, fault.dripMs);
  } else if (body instanceof Readable) {
    await pipeline(body, response).catch(() => response.destroy());
  } else {
    response.end(bytes);
  }
}

type Chunks = AsyncIterable<Buffer> | Iterable<Buffer>;

/** Half of the first chunk; then the connection breaks. */
async function sendHalf(response: ServerResponse, chunks: Chunks): Promise<void> {
  for await (const chunk of chunks) {
    const half = chunk.subarray(0, Math.ceil(chunk.length / 2));
    await new Promise<void>((resolve) => response.write(half, () => resolve()));
    break;
  }
  response.destroy();
}

async function drip(response: ServerResponse, chunks: Chunks, everyMs: number): Promise<void> {
  for await (const chunk of chunks) {
    for (const byte of chunk) {
      if (response.destroyed) return;
      response.write(Buffer.of(byte));
      await wait(everyMs, undefined, { ref: false });
    }
  }
  response.end();
}
