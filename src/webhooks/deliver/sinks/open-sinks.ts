import { isDeepStrictEqual } from 'node:util';
import { isBrokerUrl, isNats } from '../../../config/values/broker-url.js';
import type { SinkEntry } from '../../../config/values/sinks-file.js';
import type { Config } from '../../../config/load-config.js';
import type { Secrets } from '../../../config/secrets.js';
import { DEFAULT_SINK } from '../../store/event-sinks.js';
import type { BrokerSink } from './broker-sink.js';
import { HttpSink } from './http-sink.js';
import type { Sink, SinkSettings } from './sink.js';

export const SINKS = Symbol('SINKS');

type SinkSecrets = Pick<Config, 'EVENT_SINK_SECRET' | 'EVENT_SINKS_FILE'>;

export function openSinks(config: Config, secrets: Secrets): Promise<Sink[]> {
  secrets.onChange('EVENT_SINKS_FILE', (values) => requireSameSinks(config, values));
  const open = async (settings: SinkSettings): Promise<Sink> =>
    isBrokerUrl(settings.url) ? openBroker(settings) : new HttpSink(settings, config);
  return Promise.all(sinkSettings(config, () => secrets.current).map(open));
}

/** A sink whose client library is loaded only then. */
export async function openBroker(...parts: ConstructorParameters<typeof BrokerSink>): Promise<BrokerSink> {
  const [{ url }] = parts;
  if (isNats(url)) return new (await import('./nats-sink.js')).NatsSink(...parts);
  return new (await import('./rabbitmq-sink.js')).RabbitMqSink(...parts);
}

export function sinkSettings(config: Config, current: () => SinkSecrets = () => config): SinkSettings[] {
  return sinksOf(config).map((entry) => ({
    concurrency: config.EVENT_SINK_CONCURRENCY,
    allowPrivate: config.EVENT_SINK_ALLOW_PRIVATE,
    timeoutMs: config.EVENT_SINK_TIMEOUT_MS,
    retrySeconds: config.EVENT_SINK_RETRY_SECONDS,
    ...entry,
    keys: () => {
      const { EVENT_SINK_SECRET, EVENT_SINKS_FILE } = current();
      if (config.EVENT_SINK_URL) return EVENT_SINK_SECRET;
      return EVENT_SINKS_FILE.find(({ name }) => name === entry.name)!.keys;
    },
  }));
}

export function sinksOf(config: Config): readonly SinkEntry[] {
  const { EVENT_SINK_URL: url, EVENT_SINK_SECRET: keys, EVENT_SINK_TYPES: types } = config;
  if (!url) return config.EVENT_SINKS_FILE;
  return [{ name: DEFAULT_SINK, url, keys, types, hirers: config.EVENT_SINK_HIRERS, objects: true }];
}

/** While the service runs, only secrets change. */
function requireSameSinks(before: SinkSecrets, now: SinkSecrets): void {
  const withoutKeys = ({ EVENT_SINKS_FILE }: SinkSecrets): unknown =>
    EVENT_SINKS_FILE.map((sink) => ({ ...sink, keys: undefined }));
  if (isDeepStrictEqual(withoutKeys(before), withoutKeys(now))) return;
  throw new Error('EVENT_SINKS_FILE changes more than secrets: restart the service to apply it');
}
