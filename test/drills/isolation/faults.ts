import type { ServerResponse } from 'node:http';
import type { SeededRandom } from '../../../playground/src/data/random.js';
import { unauthenticated } from '../../support/scripted-upstream.js';

const SLOW_SHARE = 0.15;
const SLOW_MS_MAX = 30;
const FAULT_SHARE = 0.02;
const HANG_SHARE = 0.05;

/** A GraphQL answer that the token was not accepted. */
export const UNAUTHENTICATED = unauthenticated();

type Send = (text: string, response: ServerResponse, random: SeededRandom) => unknown;

const json = (status: number, text: string, response: ServerResponse): unknown =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(text);
const failWith =
  (status: number): Send =>
  (_text, response) =>
    json(status, '{"error":"a fault"}', response);
const asItIs: Send = (text, response) => json(200, text, response);
/** Of arrays alone: what is answered in place of the answers. */
const insteadOf =
  (change: (answers: readonly unknown[]) => unknown): Send =>
  (text, response) => {
    const answers: unknown = JSON.parse(text);
    json(200, Array.isArray(answers) ? JSON.stringify(change(answers)) : text, response);
  };

/** What the upstream does instead of answering; what is wrong with some answers, their text says itself. */
const CONDUCT = {
  slow: (text, response, random) => setTimeout(() => json(200, text, response), random.int(1, SLOW_MS_MAX)),
  hang: () => undefined,
  unauthenticated: (_text, response) => json(200, UNAUTHENTICATED, response),
  'some unauthenticated': asItIs,
  'wrong scope': asItIs,
  'status 401': failWith(401),
  'status 500': failWith(500),
  'status 502': failWith(502),
  'status 503': failWith(503),
  reset: (_text, response) => response.destroy(),
  cut: (text, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(text.length) });
    response.write(text.slice(0, text.length / 2), () => response.destroy());
  },
  noise: (_text, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Down for maintenance.</p>'),
  'wrong shape': (_text, response) => json(200, '{"data":5}', response),
  'errors for all': (_text, response) =>
    json(200, '{"errors":[{"message":"Too busy.","extensions":{"code":"BUSY"}}]}', response),
  'data for all': insteadOf(([first]) => first),
  'too few': insteadOf((answers) => answers.slice(1)),
} satisfies Record<string, Send>;

export type Fault = keyof typeof CONDUCT;

const ALL = Object.keys(CONDUCT) as Fault[];
/** Those that are drawn, one of them twice as often. */
const DRAWN = [
  ...ALL.filter((fault) => fault !== 'slow' && fault !== 'hang'),
  'some unauthenticated',
] as const;

/** The fault of the next call; mostly none. Few faults hang, since each holds its caller for a while. */
export function drawFault(random: SeededRandom): Fault | undefined {
  if (random.chance(SLOW_SHARE)) return 'slow';
  if (!random.chance(FAULT_SHARE)) return undefined;
  return random.chance(HANG_SHARE) ? 'hang' : random.pick(DRAWN);
}

/** Sends an answer, or what the fault makes of it. */
export function sendWith(
  fault: Fault | undefined,
  text: string,
  response: ServerResponse,
  random: SeededRandom,
): void {
  const send: Send = fault === undefined ? asItIs : CONDUCT[fault];
  send(text, response, random);
}
