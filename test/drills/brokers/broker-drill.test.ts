import { join } from 'node:path';
import { Cancellation } from '../../../src/http/request-context.js';
import { SqliteDatabase } from '../../../src/storage/sqlite/sqlite-database.js';
import { openBroker } from '../../../src/webhooks/deliver/sinks/open-sinks.js';
import { aDelivery, aSink } from '../../webhooks/delivery-setup.js';
import { folderOf, newFolder } from '../../support/machine.js';
import { until } from '../../support/until.js';
import { idsIn, NOTHING_LOST, runKillDrill, type DrillSinks } from '../kill/drill.js';
import { BROKER_SERVERS, type BrokerProcess, type RabbitMq } from './broker-process.js';

/** `npm run drill:brokers` kills ten times. */
const ROUNDS = Number(process.env['DRILL_ROUNDS'] ?? 1);
const PATIENCE_MS = 120_000 * ROUNDS;

/** One of each for the suite: RabbitMQ takes seconds to start. */
const started = new Map<string, BrokerProcess>();
beforeAll(async () => {
  for (const { name, start } of BROKER_SERVERS) started.set(name, await start());
}, 60_000);

test.each(BROKER_SERVERS)(
  'with $name and the service killed under load, the broker has every event in the end, and each repeat is the same',
  async ({ name }) => {
    const broker = started.get(name)!;
    const sinks = await sinksOf(broker);
    const folder = newFolder();
    const report = await runKillDrill({
      rounds: ROUNDS,
      sinks,
      settings: { DATA_DIR: folder },
      kill: async (service) => {
        await broker.kill();
        await broker.start();
        const before = (await sinks.received()).length;
        await until(async () => (await sinks.received()).length > before); // the service has found it again
        await service.end('SIGKILL');
      },
      storedIds: () => idsIn(new SqliteDatabase(folder)),
    });
    expect(report).toMatchObject(NOTHING_LOST);
  },
  PATIENCE_MS,
);

/** What the broker stores, whichever of its lives it is. */
async function sinksOf(broker: BrokerProcess): Promise<DrillSinks> {
  const { url, close } = await broker.open();
  await close();
  const retrySeconds = Array<number>(50).fill(1);
  const sink = { name: 'broker', url: url.href, objects: false, retrySeconds, timeoutMs: 3_000 };
  const folder = folderOf({ 'sinks.json': JSON.stringify({ sinks: [sink] }) });
  const taken: { sink: string; id: string; body: string }[] = [];
  return {
    names: ['broker'],
    plain: 'broker',
    settings: { EVENT_SINKS_FILE: join(folder, 'sinks.json') },
    received: async () => {
      const store = await broker.open(taken.length);
      const messages = await store.received();
      await store.close();
      for (const { headers, body } of messages) {
        taken.push({ sink: 'broker', id: headers['webhook-id']!, body });
      }
      return taken;
    },
  };
}

test(
  'while RabbitMQ has an alarm it is sent nothing, and the events are failed until it is over',
  async () => {
    const broker = started.get(BROKER_SERVERS[1]!.name) as RabbitMq;
    const store = await broker.open();
    const sink = await openBroker({ ...aSink(store.url), timeoutMs: 1_000 });
    const deliver = (id: string) => sink.deliver(aDelivery(JSON.stringify({ id })), new Cancellation());
    try {
      expect(await deliver('before')).toEqual({ kind: 'delivered' });
      broker.control('set_vm_memory_high_watermark', '0.0000001');
      const reason = 'sink: the broker takes no messages now: an alarm of memory or disk';
      await until(async () => {
        const outcome = await deliver('first');
        return 'reason' in outcome && outcome.reason === reason;
      });
      expect(await deliver('blocked')).toMatchObject({ kind: 'failed', reason, retryAfterMs: 1_000 });
      broker.control('set_vm_memory_high_watermark', '0.4');
      await until(async () => (await deliver('after')).kind === 'delivered');
      const ids = (await store.received()).map(({ headers }) => headers['webhook-id']);
      expect(ids).not.toContain('blocked');
      expect(ids).toEqual(expect.arrayContaining(['before', 'after']));
    } finally {
      await sink.close();
      await store.close();
    }
  },
  PATIENCE_MS,
);
