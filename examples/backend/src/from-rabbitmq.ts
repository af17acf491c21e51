import { setTimeout as delay } from 'node:timers/promises';
import { connect, type Channel, type ConsumeMessage } from 'amqplib';
import { DeliveryRefused } from 'partner-bff-client/server';
import { receive, type Parts } from './backend.ts';

const AT_ONCE = 10;
/** Before a message that failed comes again. */
const RETRY_MS = 5_000;
/** A message may have waited for long; the broker says who may publish, and the table what is done. */
const LATE = { toleranceSeconds: Infinity };

/**
 * Handles what comes in a queue of RabbitMQ as what comes over HTTP. Several processes share the work. What is no delivery
 * goes to the queue's dead letters, where it has any.
 * @returns stops
 */
export async function consumeFromRabbitMq(
  url: string,
  queue: string,
  parts: Parts,
): Promise<() => Promise<void>> {
  const setup = async (model: { createChannel(): Promise<Channel> }): Promise<void> => {
    const channel = await model.createChannel();
    channel.on('error', warn);
    await channel.prefetch(AT_ONCE);
    await channel.consume(queue, (message) => {
      // Where the channel has ended meanwhile, the broker delivers the message again.
      if (message) handle(channel, message, parts).catch(warn);
    });
  };
  const connection = await connect(url, { recovery: { setup } }); // again after each loss of the connection
  connection.on('error', warn);
  return () => connection.close();
}

async function handle(channel: Channel, message: ConsumeMessage, parts: Parts): Promise<void> {
  const { headers = {} } = message.properties;
  try {
    await receive(parts, { headers, body: message.content }, LATE);
    channel.ack(message);
  } catch (error) {
    process.stderr.write(`${message.fields.routingKey}: ${String(error)}\n`);
    const isRefused = error instanceof DeliveryRefused;
    if (!isRefused) await delay(RETRY_MS);
    channel.nack(message, false, !isRefused);
  }
}

function warn(error: unknown): void {
  process.stderr.write(`${String(error)}\n`);
}
