import type { LookupFunction, Socket } from 'node:net';
import { causeCode } from '../../../errors/cause-code.js';
import type { Cancellation } from '../../../http/cancellation.js';
import type { DeliveryMessage } from './sink.js';

/** A delivery that a broker has not confirmed. Its message is of our own words: no address, credential or text of the broker. */
export class BrokerFault extends Error {
  override readonly name = 'BrokerFault';

  /**
   * @param kind no connection, no message taken at all now, no confirmation in time, or a refusal of this message, of
   *   one that is too large for good
   */
  constructor(
    readonly kind: 'connection' | 'blocked' | 'timeout' | 'refused' | 'too_large' | 'aborted',
    reason: string,
    cause?: unknown,
  ) {
    super(reason, { cause });
  }
}

/** A connection to a broker. */
export interface BrokerConnection {
  /** Resolves once it has ended, whichever side ended it. */
  readonly ended: Promise<unknown>;
  /** Why the broker takes no message now; undefined while it does. */
  readonly obstacle?: string | undefined;
  /**
   * Resolves once the broker has stored the message; rejects when the connection ends before. It has no deadline.
   * @throws BrokerFault
   */
  publish(message: DeliveryMessage): Promise<void>;
  /**
   * Looks whether a message would be stored, and sends none. `isCertain` is false where the credentials do not allow it.
   * @throws BrokerFault if it would not
   */
  look(): Promise<{ readonly seen: string; readonly isCertain: boolean }>;
  /** Says goodbye; may hang as the broker does. */
  close(): Promise<void>;
}

/** Where a broker is, and how it is reached. */
export interface BrokerPlace {
  readonly url: URL;
  /** Finds the addresses of its host. */
  readonly lookup: LookupFunction;
  /** Ends the connection at any time, also while it is being made. */
  readonly life: Cancellation;
  /** Takes the socket, before it connects: it ends with the life, and a flood on it ends both. */
  readonly adopt: (socket: Socket) => void;
}

/** A failed connection, told by the code of its cause alone: the text may quote what was sent. */
export function connectionFault(cause: unknown): BrokerFault {
  const code = causeCode(cause);
  return new BrokerFault('connection', code ? `no connection (${code})` : 'no connection', cause);
}
