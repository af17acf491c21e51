import { isDeepStrictEqual } from 'node:util';
import { isBrokerUrl } from '../../config/values/broker-url.js';
import type { SinkEntry } from '../../config/values/event-sinks.js';
import type { Config } from '../../config/load-config.js';
import type { Secrets } from '../../config/secrets.js';
import type { DependencyClients } from '../../http/outgoing/dependency-client.js';
import { DEFAULT_SINK, EventSinks } from '../store/event-sinks.js';
import type { DeliveryRoute } from './event-target.js';
import { BrokerSink } from './sinks/broker-sink.js';
import { HttpSink } from './sinks/http-sink.js';

/** The settings that name sinks. */
type SinkSettings = Pick<
  Config,
  'EVENT_SINK_URL' | 'EVENT_SINK_SECRET' | 'EVENT_SINK_TYPES' | 'EVENT_SINK_HIRERS' | 'EVENT_SINKS_FILE'
>;

/** Where events go: a route for each sink of the settings. */
export function openRoutes(config: Config, secrets: Secrets, clients: DependencyClients): DeliveryRoute[] {
  secrets.onChange('EVENT_SINKS_FILE', ({ EVENT_SINKS_FILE }) =>
    requireSameSinks(config.EVENT_SINKS_FILE, EVENT_SINKS_FILE),
  );
  return sinksOf(config).map((entry) => openRoute(entry, config, secrets, clients));
}

/** The sinks as the store knows them. */
export function sinksInStore(config: Config): EventSinks {
  return new EventSinks(sinksOf(config));
}

/** The sinks of the file, or the single one. */
export function sinksOf(config: SinkSettings): readonly SinkEntry[] {
  const { EVENT_SINK_URL: url, EVENT_SINK_SECRET: keys, EVENT_SINK_TYPES: types } = config;
  if (!url) return config.EVENT_SINKS_FILE;
  return [{ name: DEFAULT_SINK, url, keys, types, hirers: config.EVENT_SINK_HIRERS, objects: true }];
}

function openRoute(
  entry: SinkEntry,
  config: Config,
  secrets: Secrets,
  clients: DependencyClients,
): DeliveryRoute {
  const concurrency = entry.concurrency ?? config.EVENT_SINK_CONCURRENCY;
  const settings = {
    ...entry,
    keys: () => sinksOf({ ...config, ...secrets.current }).find(({ name }) => name === entry.name)!.keys,
    allowPrivate: entry.allowPrivate ?? config.EVENT_SINK_ALLOW_PRIVATE,
    timeoutMs: entry.timeoutMs ?? config.EVENT_SINK_TIMEOUT_MS,
    concurrency,
  };
  const { name, types, hirers, objects } = entry;
  const target = isBrokerUrl(entry.url) ? new BrokerSink(settings, clients) : new HttpSink(settings, clients);
  const retrySeconds = entry.retrySeconds ?? config.EVENT_SINK_RETRY_SECONDS;
  return { name, types, hirers, objects, target, concurrency, retrySeconds };
}

/** While the service runs, only secrets change. */
function requireSameSinks(before: readonly SinkEntry[], now: readonly SinkEntry[]): void {
  const withoutKeys = (sinks: readonly SinkEntry[]): unknown =>
    sinks.map((sink) => ({ ...sink, keys: undefined }));
  if (isDeepStrictEqual(withoutKeys(before), withoutKeys(now))) return;
  throw new Error('EVENT_SINKS_FILE changes more than secrets: restart the service to apply it');
}
