import { join } from 'node:path';
import { Cancellation } from '../../../src/http/cancellation.js';
import { BrokerSink } from '../../../src/webhooks/deliver/sinks/broker-sink.js';
import type { DeliverableEvent } from '../../../src/webhooks/deliver/sinks/delivery-message.js';
import { aSink } from '../../webhooks/delivery-setup.js';
import { dependencyClients } from '../../support/parts.js';
import { builtService } from '../../support/start-process.js';
import { until } from '../../support/until.js';
import { BROKER_SERVERS } from './broker-process.js';
import { runBrokerDrill } from './drill.js';

const ROUNDS = 1; // `npm run drill:brokers` runs ten
const PATIENCE_MS = 120_000;

test.each(BROKER_SERVERS)(
  'with $name killed under load, it has every event in the end, and each repeat is the same',
  async ({ start }) => {
    const broker = await start();
    try {
      const program = join(builtService(), 'bundle/main.js');
      const report = await runBrokerDrill({ program, broker, rounds: ROUNDS });
      expect(report).toMatchObject({ lost: 0, different: 0, invalid: 0 });
      expect(report.acknowledged).toBeGreaterThan(0);
    } finally {
      await broker.kill();
    }
  },
  PATIENCE_MS,
);

for (const { name, start } of BROKER_SERVERS.filter((server) => server.name === 'RabbitMQ')) {
  test(
    `while ${name} has an alarm it is sent nothing, and the events are failed until it is over`,
    async () => {
      const broker = await start();
      const store = await broker.open();
      const sink = new BrokerSink({ ...aSink(store.url), timeoutMs: 1_000 }, dependencyClients());
      try {
        expect(await sink.deliver(anEventNamed('before'), new Cancellation())).toEqual({ kind: 'delivered' });
        broker.control('set_vm_memory_high_watermark', '0.0000001');
        const alarm = 'sink: the broker takes no messages now: an alarm of memory or disk';
        await until(async () => {
          const outcome = await sink.deliver(anEventNamed('first'), new Cancellation());
          return 'reason' in outcome && outcome.reason === alarm;
        });
        expect(await sink.deliver(anEventNamed('blocked'), new Cancellation())).toMatchObject({
          kind: 'failed',
          reason: alarm,
          retryAfterMs: 1_000,
        });
        broker.control('set_vm_memory_high_watermark', '0.4');
        await until(async () => {
          const { kind } = await sink.deliver(anEventNamed('after'), new Cancellation());
          return kind === 'delivered';
        });
        const ids = (await store.received()).map(({ headers }) => headers['webhook-id']);
        expect(ids).not.toContain('blocked');
        expect(ids).toEqual(expect.arrayContaining(['before', 'after']));
      } finally {
        await sink.close();
        await store.close();
        await broker.kill();
      }
    },
    PATIENCE_MS,
  );
}

function anEventNamed(id: string): DeliverableEvent {
  return {
    id,
    webhookId: id,
    type: 'T',
    hirerId: 'h',
    createDateTime: null,
    receivedAt: 0,
    payload: '{}',
    isRepeat: false,
    isRedelivery: false,
  };
}
