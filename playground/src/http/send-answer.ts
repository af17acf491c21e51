import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { Fault } from '../faults/fault.js';
import type { Answer } from './exchange.js';

/** Sends an answer; `truncate` and `dripMs` of a fault decide how much of it arrives, and how slowly. */
export async function sendAnswer(
  response: ServerResponse,
  answer: Answer,
  isHead: boolean,
  fault: Fault | undefined,
): Promise<void> {
  const { body } = answer;
  if (body instanceof Readable) return sendStream(response, answer, body, isHead, fault);
  const bytes = Buffer.from(body ?? '');
  const length = body === undefined && isHead ? {} : { 'Content-Length': String(bytes.length) };
  response.writeHead(
    answer.status,
    answer.status === 204 ? answer.headers : { ...length, ...answer.headers },
  );
  if (fault?.truncate === true) return sendHalf(response, bytes);
  if (fault?.dripMs !== undefined) return drip(response, bytes, fault.dripMs);
  response.end(isHead ? undefined : bytes);
}

async function sendStream(
  response: ServerResponse,
  answer: Answer,
  body: Readable,
  isHead: boolean,
  fault: Fault | undefined,
): Promise<void> {
  response.writeHead(answer.status, answer.headers);
  if (isHead) {
    body.destroy();
    response.end();
    return;
  }
  if (fault?.truncate === true) {
    const [firstChunk] = (await once(body, 'data')) as [Buffer];
    body.destroy();
    return sendHalf(response, firstChunk);
  }
  await pipeline(body, response).catch(() => response.destroy());
}

async function sendHalf(response: ServerResponse, bytes: Buffer): Promise<void> {
  const half = bytes.subarray(0, Math.ceil(bytes.length / 2));
  await new Promise<void>((resolve) => response.write(half, () => resolve()));
  response.destroy();
}

async function drip(response: ServerResponse, bytes: Buffer, everyMs: number): Promise<void> {
  for (const byte of bytes) {
    if (response.destroyed) return;
    response.write(Buffer.of(byte));
    await wait(everyMs, undefined, { ref: false });
  }
  response.end();
}
