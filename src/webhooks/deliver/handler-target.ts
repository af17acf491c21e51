import type { Log } from '../../telemetry/log.js';
import { Cancellation } from '../../http/cancellation.js';
import { EventRefused, type EventHandler } from './event-handler.js';
import type { DeliverableEvent, DeliveryOutcome, EventTarget } from './event-target.js';

/** How long a handler may take for one event. */
const HANDLER_TIMEOUT_MS = 30_000;

/** An {@link EventHandler} as a target. One that hangs occupies a place until its time is over, and is retried. */
export class HandlerTarget implements EventTarget {
  readonly name: string;

  constructor(
    private readonly handler: EventHandler,
    private readonly log: Log,
    readonly timeoutMs = HANDLER_TIMEOUT_MS,
  ) {
    this.name = `handler:${handler.name}`;
  }

  wants({ type }: { type: string }): boolean {
    return this.handler.types?.includes(type) ?? true;
  }

  async deliver(event: DeliverableEvent, stopping: Cancellation): Promise<DeliveryOutcome> {
    const attempt = new Cancellation();
    const timer = setTimeout(() => attempt.cancel(new Error('the handler took too long')), this.timeoutMs);
    const onStop = (): void => attempt.cancel(new Error('the service is stopping'));
    if (stopping.cancelled) onStop();
    stopping.onCancel(onStop);
    try {
      await Promise.race([this.handler.handle(event, attempt.toSignal()), rejectionOf(attempt)]);
      return { kind: 'delivered' };
    } catch (error) {
      this.log.warn({ err: error, eventId: event.id, handler: this.handler.name }, 'an event handler failed');
      return { kind: error instanceof EventRefused ? 'dead' : 'failed', reason: `${this.name} failed` };
    } finally {
      clearTimeout(timer);
      stopping.offCancel(onStop);
    }
  }

  async close(): Promise<void> {
    // holds nothing
  }
}

function rejectionOf(attempt: Cancellation): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  if (attempt.cancelled) reject(attempt.reason);
  else attempt.onCancel(() => reject(attempt.reason));
  return promise;
}
