import type { Config } from '../../config/load-config.js';
import type { Secrets } from '../../config/secrets.js';
import type { Log } from '../../telemetry/log.js';
import type { Database } from '../../storage/database.js';
import { DeliveryQueue } from './delivery-queue.js';
import { EventDeliverer } from './event-deliverer.js';
import type { EventHandler } from './event-handler.js';
import { EventSink } from './event-sink.js';
import type { EventTarget } from './event-target.js';
import { HANDLER_TIMEOUT_MS, HandlerTarget } from './handler-target.js';
import type { InsertPolicy } from '../store/insert-events.js';
import type { WebhookMetrics } from '../webhook-metrics.js';

const LEASE_MARGIN_MS = 5_000; // to record what came of an attempt

/** The sink, or null when none is set. */
export function openSink(config: Config, secrets: Secrets): EventSink | null {
  if (!config.EVENT_SINK_URL) return null;
  return new EventSink({
    url: config.EVENT_SINK_URL,
    keys: () => secrets.current.EVENT_SINK_SECRET,
    allowPrivate: config.EVENT_SINK_ALLOW_PRIVATE,
    types: config.EVENT_SINK_TYPES,
    hirers: config.EVENT_SINK_HIRERS,
    timeoutMs: config.EVENT_SINK_TIMEOUT_MS,
    concurrency: config.EVENT_SINK_CONCURRENCY,
    userAgent: config.USER_AGENT,
  });
}

/** Everyone who may want events. */
export function listTargets(
  sink: EventSink | null,
  handlers: readonly EventHandler[],
  log: Log,
): EventTarget[] {
  return [...(sink ? [sink] : []), ...handlers.map((handler) => new HandlerTarget(handler, log))];
}

/** How events are taken in: for delivery when somebody wants them. */
export function insertPolicy(config: Config, targets: readonly EventTarget[]): InsertPolicy {
  return {
    isWanted: (event) => targets.some((target) => target.wants(event)),
    redeliverAfterMs:
      config.EVENT_REPEATS === 'deliver' ? config.EVENT_REPEAT_WINDOW_SECONDS * 1000 : undefined,
  };
}

/** The deliverer; its lease is longer than any attempt may take. */
export function openDeliverer(
  config: Config,
  database: Database,
  targets: readonly EventTarget[],
  metrics: WebhookMetrics,
  log: Log,
): EventDeliverer {
  const hasHandlers = targets.some((target) => target instanceof HandlerTarget);
  const longestMs = Math.max(config.EVENT_SINK_TIMEOUT_MS, hasHandlers ? HANDLER_TIMEOUT_MS : 0);
  const options = { concurrency: config.EVENT_SINK_CONCURRENCY, drainMs: config.SHUTDOWN_TIMEOUT_MS };
  return new EventDeliverer(
    new DeliveryQueue(database, longestMs + LEASE_MARGIN_MS),
    targets,
    metrics,
    log,
    options,
  );
}
