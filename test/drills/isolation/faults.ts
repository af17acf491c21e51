import type { ServerResponse } from 'node:http';
import type { SeededRandom } from '../../../playground/src/data/random.js';

/** The upstream's conduct instead of answering. */
export type Fault =
  | 'slow'
  | 'unauthenticated'
  | 'some unauthenticated'
  | 'status 401'
  | 'status 500'
  | 'status 502'
  | 'status 503'
  | 'hang'
  | 'reset'
  | 'cut'
  | 'noise'
  | 'wrong shape'
  | 'errors for all'
  | 'data for all'
  | 'too few'
  | 'wrong scope';

const SLOW_SHARE = 0.15;
const SLOW_MS_MAX = 30;
const FAULT_SHARE = 0.02;
const HANG_SHARE = 0.05;

const FAULTS: readonly Fault[] = [
  'unauthenticated',
  'some unauthenticated',
  'some unauthenticated',
  'status 401',
  'status 500',
  'status 502',
  'status 503',
  'reset',
  'cut',
  'noise',
  'wrong shape',
  'errors for all',
  'data for all',
  'too few',
  'wrong scope',
];

/** The fault of the next call; mostly none. Few faults hang, since each holds its caller for a while. */
export function drawFault(random: SeededRandom): Fault | undefined {
  if (random.chance(SLOW_SHARE)) return 'slow';
  if (!random.chance(FAULT_SHARE)) return undefined;
  return random.chance(HANG_SHARE) ? 'hang' : random.pick(FAULTS);
}

/** Sends an answer, or what the fault makes of it. */
export function sendWith(
  fault: Fault | undefined,
  text: string,
  response: ServerResponse,
  random: SeededRandom,
): void {
  const send = (status: number, body: string): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  };
  switch (fault) {
    case 'slow':
      setTimeout(() => send(200, text), random.int(1, SLOW_MS_MAX));
      return;
    case 'unauthenticated':
      send(200, UNAUTHENTICATED);
      return;
    case 'status 401':
    case 'status 500':
    case 'status 502':
    case 'status 503':
      send(Number(fault.slice('status '.length)), '{"error":"a fault"}');
      return;
    case 'hang':
      return;
    case 'reset':
      response.destroy();
      return;
    case 'cut':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(text.length) });
      response.write(text.slice(0, text.length / 2), () => response.destroy());
      return;
    case 'noise':
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Down for maintenance.</p>');
      return;
    case undefined:
    case 'some unauthenticated':
    case 'wrong scope':
      send(200, text); // what is wrong with it, the text says itself
      return;
    case 'wrong shape':
    case 'errors for all':
    case 'data for all':
    case 'too few':
      send(200, misshape(fault, text));
      return;
    default:
      fault satisfies never;
  }
}

/** A GraphQL answer that the token was not accepted. */
export const UNAUTHENTICATED = JSON.stringify({
  errors: [{ message: 'The token has expired.', extensions: { code: 'UNAUTHENTICATED' } }],
});

/** An answer of a shape that the request did not ask for. */
function misshape(
  fault: 'wrong shape' | 'errors for all' | 'data for all' | 'too few',
  text: string,
): string {
  if (fault === 'wrong shape') return '{"data":5}';
  if (fault === 'errors for all') return '{"errors":[{"message":"Too busy.","extensions":{"code":"BUSY"}}]}';
  const answers: unknown = JSON.parse(text);
  if (!Array.isArray(answers)) return text;
  return JSON.stringify(fault === 'data for all' ? answers[0] : answers.slice(1));
}
