import { hash } from 'node:crypto';
import { LATE, within } from '../../../concurrency/within.js';
import { causeCode } from '../../../errors/cause-code.js';
import { Sink, type DeliveryMessage, type DeliveryOutcome } from './sink.js';

const CONNECT_TIMEOUT_MS = 5_000;
/** Pause while the broker accepts nothing, so that a backlog does not use up its attempts. */
const PAUSE_MS = 1_000;

/** So that a routing key fits into the 255 bytes of AMQP. */
const WORD_BYTES_MAX = 120;
const KEPT_OF_LONG = 70;
/** In place of a word that is empty: an event without a hirer. */
const NONE = '-';

/** Why a delivery is not confirmed, in words of our own: no address, credential or text of the broker. */
export class BrokerFault extends Error {
  /** @param kind `blocked` while no message is taken at all; `refused` and `too_large` are about this message */
  constructor(
    readonly kind: 'connection' | 'blocked' | 'timeout' | 'refused' | 'too_large',
    reason: string,
    cause?: unknown,
  ) {
    super(reason, { cause });
  }
}

/** Told by the code of its cause alone: the text may quote what was sent. */
export function connectionFault(cause: unknown): BrokerFault {
  const code = causeCode(cause);
  return new BrokerFault('connection', code ? `no connection (${code})` : 'no connection', cause);
}

/**
 * Delivers events to a broker, one message each: delivered once the broker has confirmed that it is stored. All share
 * one connection until its first fault, so that the address is looked up, and judged, each time. A stop needs no more
 * than its end.
 */
export abstract class BrokerSink extends Sink {
  protected readonly connectMs = Math.min(CONNECT_TIMEOUT_MS, this.settings.timeoutMs);

  /** Connects, and sends nothing. @throws BrokerFault */
  abstract connect(): Promise<unknown>;

  /** Resolves once the broker has stored the message; has no deadline. @throws BrokerFault */
  protected abstract publish(message: DeliveryMessage): Promise<void>;

  protected async send(message: DeliveryMessage): Promise<DeliveryOutcome> {
    try {
      const confirmed = await within(this.settings.timeoutMs, this.publish(message));
      if (confirmed === LATE) throw new BrokerFault('timeout', 'no confirmation in time');
      return { kind: 'delivered' };
    } catch (error) {
      if (!(error instanceof BrokerFault)) throw error;
      const isForAll = error.kind === 'connection' || error.kind === 'blocked';
      return {
        ...this.failed(error.message, error.cause),
        ...(isForAll && { retryAfterMs: PAUSE_MS }),
        isTooLarge: error.kind === 'too_large',
      };
    }
  }
}

/** `<type>.<hirer>` of an event: two words, whatever the event holds. */
export function routingKey(type: string, hirerId: string | null): string {
  return `${toWord(type)}.${toWord(hirerId ?? '')}`;
}

/**
 * A text as one word of a subject or routing key, every byte but letters, digits, `_`, `-` and `:` percent-encoded. No
 * two texts are one word. A long one is cut, and ends in `~` and its SHA-256.
 */
export function toWord(text: string): string {
  if (text === '') return NONE;
  const word = text === NONE ? encode(text) : text.replaceAll(/[^\w:-]+/g, encode);
  if (word.length <= WORD_BYTES_MAX) return word;
  return `${word.slice(0, KEPT_OF_LONG)}~${hash('sha256', word, 'base64url')}`;
}

function encode(text: string): string {
  return Buffer.from(text).toString('hex').toUpperCase().replaceAll(/../g, '%$&');
}
