import { relative } from 'node:path';
import fc from 'fast-check';
import { BffError } from '../../src/errors/bff-error.js';
import type { ErrorCode } from '../../src/errors/error-codes.js';
import { Agent, request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';

/** Cases of one target, shared equally by its properties. */
const CASES = Number(process.env['FUZZ_CASES'] ?? 200);
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);
const GROWTH_SHARE = 1 / 40;

type AnyProperty = fc.IRawProperty<any>;

/** Further options of a target. */
export interface TargetOptions {
  /** That the parser takes time in proportion to its input; on a fortieth of the cases, for each is measured. */
  readonly growth?: AnyProperty;
  /** Part of the cases that the whole target runs, for one whose cases are requests over a socket. */
  readonly share?: number;
}

/**
 * Fuzzes one parser that meets the outside: each property, named as the guarantee it holds, on its share of the cases.
 */
export function target(
  name: string,
  properties: Readonly<Record<string, AnyProperty>>,
  { growth, share = 1 }: TargetOptions = {},
): void {
  const entries = Object.entries(properties);
  describe(name, () => {
    test.each(entries)('%s', (_guarantee, property) => check(property, (CASES * share) / entries.length));
    if (growth) {
      test('time grows in proportion to the input', () => check(growth, CASES * GROWTH_SHARE, false));
    }
  });
}

async function check(property: AnyProperty, cases: number, shrink = true): Promise<void> {
  const details = await fc.check(property, {
    seed: SEED,
    numRuns: Math.ceil(cases),
    endOnFailure: !shrink, // where each case is measured, to find a smaller one takes longer than it helps
  });
  if (details.failed) throw new Error(describeFailure(details), { cause: details.errorInstance });
}

function describeFailure(details: fc.RunDetails<any>): string {
  const file = relative(process.cwd(), expect.getState().testPath ?? '');
  const repeat = `FUZZ_SEED=${SEED} FUZZ_CASES=${CASES} npm test -- ${file}`;
  return `${fc.defaultReportMessage(details as fc.RunDetails<unknown>)}\n\nRepeat with: ${repeat}`;
}

/**
 * The value that was read, or undefined when the input was refused by one of these codes; any other throw is a fault of
 * ours.
 */
export function readOrRefuse<T>(codes: readonly ErrorCode[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof BffError && codes.includes(error.code)) return undefined;
    throw error;
  }
}

/** A request as a caller without manners may make it. */
export interface SentRequest {
  readonly method: string;
  /** Path and query; what may not stand in a request line is percent-encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The answer; the body of an event stream is left unread. */
export interface ReceivedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const agent = new Agent({ keepAlive: true });

/** Sends a request and reads the answer whole. */
export function send(origin: string, { method, path, headers, body }: SentRequest): Promise<ReceivedAnswer> {
  return new Promise((resolve, reject) => {
    const bodied = body.length > 0 || method === 'POST' || method === 'PUT';
    const all = { ...headers, ...(bodied && { 'content-length': String(body.length) }) };
    const options = {
      method,
      path: encodeURI(path.toWellFormed()).replaceAll('%25', '%'),
      headers: all,
      agent,
    };
    request(origin, options, (answer) => void read(answer).then(resolve, reject))
      .on('error', reject)
      .end(bodied ? body : undefined);
  });
}

async function read(answer: IncomingMessage): Promise<ReceivedAnswer> {
  const { statusCode: status = 0, headers } = answer;
  if (headers['content-type'] === 'text/event-stream') {
    answer.destroy();
    return { status, headers, text: '' };
  }
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return { status, headers, text: Buffer.concat(chunks).toString('utf8') };
}

/** Sends bytes as they are, no more after them, and gives what came back until the other side closed. */
export function sendBytes(origin: string, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(origin);
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.end(bytes));
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    socket.on('error', () => undefined); // it may well be reset
    socket.on('close', () => resolve(text));
  });
}

/** Ends the connections that are kept. */
export function closeConnections(): void {
  agent.destroy();
}
