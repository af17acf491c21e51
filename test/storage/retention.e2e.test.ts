import supertest from 'supertest';
import { AuditStore } from '../../src/audit/audit-store.js';
import { migrate } from '../../src/storage/migrate.js';
import { Retention } from '../../src/storage/retention.js';
import { SqliteDatabase } from '../../src/storage/sqlite/sqlite-database.js';
import { insertEvents } from '../../src/webhooks/store/insert-events.js';
import { newFolder } from '../support/machine.js';
import { withClock } from '../support/test-database.js';
import { NO_SINKS, received } from '../webhooks/event-store-setup.js';
import { startStack } from '../support/start-stack.js';

const DAY_MS = 86_400_000;

test('a service removes audit records, payloads and records of events by age', async () => {
  const folder = newFolder();
  const database = new SqliteDatabase(folder);
  await migrate(database);
  const aged = (days: number): number => Date.now() - days * DAY_MS;
  const audit = new AuditStore(database);
  for (const days of [11, 9]) {
    await audit.insert([{ time: aged(days), requestId: `${days}`, action: 'old', outcome: 'ok' }]);
  }
  for (const days of [366, 21, 19]) {
    const aside = withClock(database, () => aged(days));
    await aside.transaction((tx) => insertEvents(tx, [received(`${days}`)], NO_SINKS));
  }
  await database.close();
  const kept = { AUDIT_RETENTION_DAYS: '10', EVENT_RETENTION_DAYS: '20' };
  const stack = await startStack({ DATA_DIR: folder, ...kept });
  const items = async (path: string) => (await supertest(stack.opsUrl).get(path)).body.items;
  const { app } = stack.service;
  const retentions = app.get(Retention, { strict: false, each: true });
  expect(retentions).toHaveLength(2);
  for (const retention of retentions) await retention.run();
  expect(await items('/audit?action=old')).toMatchObject([{ requestId: '9' }]);
  expect(await items('/events')).toMatchObject([
    { id: '19', payload: { id: '19' } },
    { id: '21', payload: null },
  ]);
});
