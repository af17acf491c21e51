import type { LookupFunction } from 'node:net';
import { causeCode } from '../../../errors/cause-code.js';
import type { Cancellation } from '../../../http/cancellation.js';
import type { DeliveryMessage } from './delivery-message.js';

/** Where a broker is, and how it is reached. */
export interface BrokerPlace {
  readonly url: URL;
  /** Finds the addresses of its host. */
  readonly lookup: LookupFunction;
  /** How many bytes of messages, since it was last called, the broker had to answer; none where nothing is sent. */
  readonly takeAsked?: () => number;
}

/**
 * How a delivery to a broker can fail: there is no connection, the broker takes no message at all now, there is no
 * confirmation in time, or a refusal of this message, of one that is too large for good.
 */
export type BrokerFaultKind = 'connection' | 'blocked' | 'timeout' | 'refused' | 'too_large' | 'aborted';

/** A delivery that a broker has not confirmed. Its message is of our own words: no address, credential or text of the broker. */
export class BrokerFault extends Error {
  override readonly name = 'BrokerFault';

  constructor(
    readonly kind: BrokerFaultKind,
    reason: string,
    cause?: unknown,
  ) {
    super(reason, { cause });
  }
}

/** What was found at a broker without a message. */
export interface BrokerSight {
  readonly seen: string;
  /** False if the credentials do not allow to look. */
  readonly isCertain: boolean;
}

/** A connection to a broker. */
export interface BrokerConnection {
  /** Resolves once it has ended, whichever side ended it. */
  readonly ended: Promise<void>;
  /** Why the broker takes no message now; undefined while it does. */
  readonly obstacle: string | undefined;
  /**
   * Resolves once the broker has stored the message; rejects when the connection ends before. It has no deadline.
   * @throws BrokerFault
   */
  publish(message: DeliveryMessage): Promise<void>;
  /**
   * Looks whether a message would be stored, and sends none.
   * @throws BrokerFault if it would not
   */
  look(): Promise<BrokerSight>;
  /** Says goodbye; may hang as the broker does. */
  close(): Promise<void>;
}

/**
 * Connects to a broker.
 * @param life ends the connection at any time, also while it is being made
 * @throws BrokerFault
 */
export type OpenBroker = (place: BrokerPlace, life: Cancellation) => Promise<BrokerConnection>;

/** The message is larger than the broker takes. */
export function tooLarge(cause: unknown): BrokerFault {
  return new BrokerFault('too_large', 'it is larger than the broker takes', cause);
}

/** A failed connection, told by the code of its cause alone: the text may quote what was sent. */
export function connectionFault(cause: unknown): BrokerFault {
  const code = causeCode(cause);
  return new BrokerFault(
    'connection',
    code === undefined ? 'no connection' : `no connection (${code})`,
    cause,
  );
}
