import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { DeliveryRefused } from 'partner-bff-client/server';
import { receive, type Parts } from './backend.ts';

const CONSUMER = 'backend';
/** For the work of one message: after that, or the end of this process, it comes again. */
const ACK_WAIT_MS = 20_000;
/** Before one that failed comes again. */
const RETRY_MS = 5_000;
/** A message may have waited for long; the broker says who may publish, and the table what is done. */
const LATE = { toleranceSeconds: Infinity };

/**
 * Handles what comes in a stream of NATS JetStream as what comes over HTTP. The server remembers under the name of the
 * consumer what is done; several processes share the work.
 * @returns stops
 */
export async function consumeFromNats(
  url: string,
  stream: string,
  parts: Parts,
): Promise<() => Promise<void>> {
  const { host, username, password } = new URL(url);
  const credentials = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  const connection = await connect({
    servers: host,
    ...(username && credentials),
    ...(url.startsWith('tls:') && { tls: {} }),
    maxReconnectAttempts: -1,
  });
  const manager = await jetstreamManager(connection);
  await manager.consumers.add(stream, {
    durable_name: CONSUMER,
    ack_policy: AckPolicy.Explicit,
    ack_wait: ACK_WAIT_MS * 1e6, // nanoseconds
  });
  const consumer = await jetstream(connection).consumers.get(stream, CONSUMER);
  const messages = await consumer.consume({ max_messages: 1 });
  void (async () => {
    for await (const message of messages) {
      const fields = [...(message.headers ?? [])].map(([name, values]) => [name, values[0]] as const);
      try {
        await receive(parts, { headers: Object.fromEntries(fields), body: message.data }, LATE);
        message.ack();
      } catch (error) {
        process.stderr.write(`${message.subject}: ${String(error)}\n`);
        if (error instanceof DeliveryRefused) message.term('no delivery');
        else message.nak(RETRY_MS);
      }
    }
  })();
  return () => connection.drain();
}
