import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { isRecord, parseJson } from '../http/route.js';
import type { Fault } from './fault.js';

type Bytes = string | Buffer | Readable;

/** The answer with the members, headers or bytes that a fault changes, and at the pace that it sets. */
export function spoil(payload: unknown, fault: Fault, reply: FastifyReply): unknown {
  const bytes = (payload ?? '') as Bytes;
  const spoilt = spoilBody(bytes, fault);
  if (fault.contentType !== undefined) reply.type(fault.contentType);
  // The length of a stream is stated by its route; that of other bytes is counted when they are sent.
  if (spoilt !== bytes) reply.removeHeader('Content-Length');
  reply.headers(fault.headers ?? {});
  const isSlow = fault.truncate === true || fault.dripMs !== undefined;
  if (!isSlow || reply.request.method === 'HEAD') return spoilt;
  if (!(spoilt instanceof Readable)) reply.header('Content-Length', Buffer.byteLength(spoilt));
  const chunks = spoilt instanceof Readable ? (spoilt as AsyncIterable<Buffer>) : [Buffer.from(spoilt)];
  return Readable.from(fault.truncate === true ? halfOf(chunks) : drip(chunks, fault.dripMs!), {
    objectMode: false,
  });
}

function spoilBody(body: Bytes, fault: Fault): Bytes {
  if (fault.garbage === true) return randomBytes(512);
  if (fault.bodyBytes !== undefined) return `{"padding":"${'x'.repeat(fault.bodyBytes)}"}`;
  if (fault.body !== undefined) return fault.body;
  if (fault.set === undefined && fault.drop === undefined) return body;
  return typeof body === 'string' ? changeMembers(body, fault) : body;
}

function changeMembers(body: string, fault: Fault): string {
  const parsed = parseJson(Buffer.from(body))?.value;
  if (!isRecord(parsed)) return body;
  const changed = { ...parsed, ...fault.set };
  for (const name of fault.drop ?? []) delete changed[name];
  return JSON.stringify(changed);
}

type Chunks = AsyncIterable<Buffer> | Iterable<Buffer>;

/** Half of the first chunk; then the connection breaks. */
async function* halfOf(chunks: Chunks): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    yield chunk.subarray(0, Math.ceil(chunk.length / 2));
    break;
  }
  await setImmediate(); // what was sent is on its way
  throw new Error('Broken off on purpose.');
}

async function* drip(chunks: Chunks, everyMs: number): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    for (const byte of chunk) {
      yield Buffer.of(byte);
      await wait(everyMs, undefined, { ref: false });
    }
  }
}
