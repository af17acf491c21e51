import { randomBytes } from 'node:crypto';
import { isRecord, parseJson, type Answer } from '../http/exchange.js';
import type { Fault } from './fault.js';

/** The answer that a fault gives instead of the real one; undefined when it needs the real one. */
export function cannedAnswer(fault: Fault): Answer | undefined {
  if (fault.status === undefined) return undefined;
  const body = fault.body ?? JSON.stringify({ message: 'A planned fault of the playground.' });
  return { status: fault.status, headers: { 'Content-Type': 'application/json; charset=utf-8' }, body };
}

/** The answer with the members, headers or bytes that a fault changes. */
export function spoil(answer: Answer, fault: Fault): Answer {
  const body = spoilBody(answer.body, fault);
  const { 'Content-Length': length, ...others } = answer.headers;
  const headers = {
    ...others,
    // The length of a stream is stated by its route; that of other bytes is counted when they are sent.
    ...(length !== undefined && body === answer.body && { 'Content-Length': length }),
    ...(fault.contentType !== undefined && { 'Content-Type': fault.contentType }),
    ...fault.headers,
  };
  return body === undefined ? { ...answer, headers } : { ...answer, headers, body };
}

function spoilBody(body: Answer['body'], fault: Fault): Answer['body'] {
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
