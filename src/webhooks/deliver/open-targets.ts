import type { Config } from '../../config/load-config.js';
import type { Secrets } from '../../config/secrets.js';
import type { DependencyClients } from '../../http/outgoing/dependency-client.js';
import type { Log } from '../../telemetry/log.js';
import type { EventHandler } from './event-handler.js';
import { EventSink } from './event-sink.js';
import type { EventTarget } from './event-target.js';
import { HandlerTarget } from './handler-target.js';

/** Every target of events: the sink where `EVENT_SINK_URL` is set, and the handlers in the process. */
export function openTargets(
  config: Config,
  secrets: Secrets,
  handlers: readonly EventHandler[],
  clients: DependencyClients,
  log: Log,
): EventTarget[] {
  const targets: EventTarget[] = handlers.map((handler) => new HandlerTarget(handler, log));
  if (config.EVENT_SINK_URL) targets.unshift(openSink(config.EVENT_SINK_URL, config, secrets, clients));
  return targets;
}

function openSink(url: URL, config: Config, secrets: Secrets, clients: DependencyClients): EventSink {
  const settings = {
    url,
    keys: () => secrets.current.EVENT_SINK_SECRET,
    allowPrivate: config.EVENT_SINK_ALLOW_PRIVATE,
    types: config.EVENT_SINK_TYPES,
    hirers: config.EVENT_SINK_HIRERS,
    timeoutMs: config.EVENT_SINK_TIMEOUT_MS,
    concurrency: config.EVENT_SINK_CONCURRENCY,
  };
  return new EventSink(settings, clients);
}
