import type { lookup } from 'node:dns';
import { LATE, within } from '../../../concurrency/within.js';
import { causeCode } from '../../../errors/cause-code.js';
import type { DependencyClients } from '../../../http/outgoing/dependency-client.js';
import {
  CONNECT_TIMEOUT_MS,
  Sink,
  type DeliveryMessage,
  type DeliveryOutcome,
  type SinkSettings,
} from './sink.js';

/** Pause while the broker accepts nothing, so that a backlog does not use up its attempts. */
const PAUSE_MS = 1_000;

/** Why a delivery is not confirmed, in words of our own: no address, credential or text of the broker. */
export class BrokerFault extends Error {
  override readonly name = 'BrokerFault';

  /**
   * @param kind no connection, no message taken at all now, no confirmation in time, or a refusal of this message, of
   *   one that is too large for good
   */
  constructor(
    readonly kind: 'connection' | 'blocked' | 'timeout' | 'refused' | 'too_large',
    reason: string,
    cause?: unknown,
  ) {
    super(reason, { cause });
  }
}

/** A connection that failed or ended, told by the code of its cause alone: the text may quote what was sent. */
export function connectionFault(cause: unknown): BrokerFault {
  const code = causeCode(cause);
  return new BrokerFault('connection', code ? `no connection (${code})` : 'no connection', cause);
}

/**
 * Delivers events to a broker, one message each. An event is delivered once the broker has confirmed that it is stored.
 * All deliveries share one connection, which lives until its first fault: the next delivery makes another, so that the
 * address is looked up, and judged, each time. A stop needs no more than its end.
 */
export abstract class BrokerSink extends Sink {
  protected readonly connectMs = Math.min(CONNECT_TIMEOUT_MS, this.settings.timeoutMs);

  constructor(
    settings: SinkSettings,
    private readonly clients: Pick<DependencyClients, 'record'>,
    now: () => number = Date.now,
    resolver?: typeof lookup,
  ) {
    super(settings, now, resolver);
  }

  /**
   * Looks whether a message would be stored, and sends none. `isCertain` is false where the credentials do not allow it.
   * @throws BrokerFault if it would not
   */
  abstract look(): Promise<{ readonly seen: string; readonly isCertain: boolean }>;

  /**
   * Resolves once the broker has stored the message; rejects when the connection ends before. It has no deadline.
   * @throws BrokerFault
   */
  protected abstract publish(message: DeliveryMessage): Promise<void>;

  protected async send(message: DeliveryMessage): Promise<DeliveryOutcome> {
    const startedAt = performance.now();
    let outcome = 'confirmed';
    try {
      const confirmed = await within(this.settings.timeoutMs, this.publish(message));
      if (confirmed === LATE) throw new BrokerFault('timeout', 'no confirmation in time');
      return { kind: 'delivered' };
    } catch (error) {
      if (!(error instanceof BrokerFault)) throw error;
      outcome = error.kind;
      const isForAll = outcome === 'connection' || outcome === 'blocked';
      return {
        ...this.failed(error.message, error.cause),
        ...(isForAll && { retryAfterMs: PAUSE_MS }),
        isTooLarge: outcome === 'too_large',
      };
    } finally {
      this.clients.record('event-sink', outcome, startedAt);
    }
  }
}
