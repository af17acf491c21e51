import { isDeepStrictEqual } from 'node:util';
import { isBrokerUrl, isNats } from '../../../config/values/broker-url.js';
import type { Config } from '../../../config/load-config.js';
import type { Secrets } from '../../../config/secrets.js';
import type { BrokerSink } from './broker-sink.js';
import { HttpSink } from './http-sink.js';
import { sinkSettings, type Sink, type SinkSettings } from './sink.js';

export const SINKS = Symbol('SINKS');

type SinksFile = Pick<Config, 'EVENT_SINKS_FILE'>;

export function openSinks(config: Config, secrets: Secrets): Promise<Sink[]> {
  secrets.onChange('EVENT_SINKS_FILE', (values) => requireSameSinks(config, values));
  const open = async (settings: SinkSettings): Promise<Sink> =>
    isBrokerUrl(settings.url) ? openBroker(settings) : new HttpSink(settings, config);
  return Promise.all(sinkSettings(config, secrets).map(open));
}

/** A sink whose client library is loaded only then. */
export async function openBroker(...parts: ConstructorParameters<typeof BrokerSink>): Promise<BrokerSink> {
  const [{ url }] = parts;
  if (isNats(url)) return new (await import('./nats-sink.js')).NatsSink(...parts);
  return new (await import('./rabbitmq-sink.js')).RabbitMqSink(...parts);
}

/** While the service runs, only secrets change. */
function requireSameSinks(before: SinksFile, now: SinksFile): void {
  const withoutKeys = ({ EVENT_SINKS_FILE }: SinksFile): unknown =>
    EVENT_SINKS_FILE.map((sink) => ({ ...sink, keys: undefined }));
  if (isDeepStrictEqual(withoutKeys(before), withoutKeys(now))) return;
  throw new Error('EVENT_SINKS_FILE changes more than secrets: restart the service to apply it');
}
