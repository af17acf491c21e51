import { randomBytes } from 'node:crypto';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect as connectNats } from '@nats-io/transport-node';
import { connect as connectAmqp } from 'amqplib';
import { endsByItself, serverOf } from './machine.js';

/** A message as a consumer of the broker has it. */
export interface BrokerMessage {
  /** Subject or routing key, without what the test put before it. */
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A stream, or an exchange with a queue, of one suite. */
export interface TestBroker {
  /** For `EVENT_SINK_URL`. */
  readonly url: URL;
  /** What is stored, in order. */
  received(): Promise<readonly BrokerMessage[]>;
  /** Removes what is stored. */
  clear(): Promise<void>;
  /** Leaves it, with what is stored. */
  close(): Promise<void>;
  /** Nothing takes messages any more, though the broker is there. */
  unbind(): Promise<void>;
  drop(): Promise<void>;
}

interface BrokerKind {
  readonly name: 'NATS' | 'RabbitMQ';
  open(): Promise<TestBroker>;
}

/** Of a message, in the streams that {@link openNats} makes; below what the server takes. */
export const STREAM_BYTES_MAX = 900_000;

export const BROKERS: readonly BrokerKind[] = [
  { name: 'NATS', open: () => dropped(openNats(serverOf('TEST_NATS_URL'))) },
  { name: 'RabbitMQ', open: () => dropped(openRabbitMq(serverOf('TEST_AMQP_URL'))) },
];

/** Of which nothing is left after the test. */
async function dropped(opening: Promise<TestBroker>): Promise<TestBroker> {
  const broker = await opening;
  endsByItself(() => broker.drop());
  return broker;
}

/**
 * Makes a stream on this server, of subjects that begin with its name; or finds it again.
 * @param readBefore its first messages, which `received` leaves out
 */
export async function openNats(server: string, stream = aName(), readBefore = 0): Promise<TestBroker> {
  const url = new URL(server);
  const [user, pass] = [url.username, url.password];
  const connection = await connectNats({ servers: url.host, ...(user && { user, pass }) });
  const manager = await jetstreamManager(connection);
  await manager.streams.add({ name: stream, subjects: [`${stream}.>`], max_msg_size: STREAM_BYTES_MAX });
  url.pathname = `/${stream}`;
  let messages: BrokerMessage[] = [];
  let next = readBefore + 1;
  return {
    url,
    received: async () => {
      const { first_seq, last_seq } = (await manager.streams.info(stream)).state;
      for (let seq = Math.max(next, first_seq); seq <= last_seq; seq += 1) {
        const message = (await manager.streams.getMessage(stream, { seq }))!;
        const headers = Object.fromEntries([...message.header].map(([name, [value]]) => [name, value!]));
        messages.push({ key: message.subject.slice(stream.length + 1), headers, body: message.string() });
        next = seq + 1;
      }
      return messages;
    },
    clear: async () => {
      messages = [];
      await manager.streams.purge(stream);
    },
    close: () => connection.close(),
    unbind: async () => void (await manager.streams.delete(stream)),
    drop: async () => {
      await manager.streams.delete(stream).catch(() => undefined);
      await connection.close();
    },
  };
}

/** Makes a durable topic exchange on this server, and a queue that gets all of it; or finds them again. */
export async function openRabbitMq(server: string, name = aName()): Promise<TestBroker> {
  const model = await connectAmqp(server);
  const channel = await model.createChannel();
  await channel.assertExchange(name, 'topic', { durable: true });
  await channel.assertQueue(name, { durable: true });
  await channel.bindQueue(name, name, '#');
  const url = new URL(server);
  url.search = `?exchange=${name}`;
  const messages: BrokerMessage[] = [];
  return {
    url,
    received: async () => {
      for (;;) {
        const message = await channel.get(name, { noAck: true });
        if (!message) return messages;
        const headers = message.properties.headers as Record<string, string>;
        messages.push({ key: message.fields.routingKey, headers, body: message.content.toString() });
      }
    },
    clear: async () => {
      messages.length = 0;
      await channel.purgeQueue(name);
    },
    close: () => model.close(),
    unbind: async () => void (await channel.unbindQueue(name, name, '#')),
    drop: async () => {
      await channel.deleteQueue(name);
      await channel.deleteExchange(name);
      await model.close();
    },
  };
}

function aName(): string {
  return `test-${randomBytes(6).toString('hex')}`;
}
