import type { Socket } from 'node:net';
import type { Cancellation } from '../../../http/cancellation.js';
import { BrokerFault } from './broker.js';

const LOOK_MS = 50;
/** What a broker may send of itself: greetings, heartbeats, lists of streams. */
const BYTES_A_SECOND = 65_536;
const BYTES_AT_ONCE = 262_144;
/** A confirmation, or a message that comes back. */
const BYTES_FOR_BYTE = 2;

/**
 * Ends a connection on which a broker sends more than it has reason to. The client libraries read whatever comes, and keep
 * the beginning of a line or message for its end.
 * @param takeAsked how many bytes of messages, since it was last called, the broker had to answer
 */
export function endFlood(socket: Socket, life: Cancellation, takeAsked: () => number = () => 0): void {
  let seen = 0;
  let left = BYTES_AT_ONCE;
  const look = (): void => {
    const { bytesRead } = socket;
    const unasked = Math.max(0, bytesRead - seen - BYTES_FOR_BYTE * takeAsked());
    seen = bytesRead;
    left = Math.min(BYTES_AT_ONCE, left + (BYTES_A_SECOND * LOOK_MS) / 1000) - unasked;
    if (left < 0) life.cancel(new BrokerFault('connection', 'the broker sends without end'));
  };
  const timer = setInterval(look, LOOK_MS).unref();
  life.onCancel(() => clearInterval(timer));
}
