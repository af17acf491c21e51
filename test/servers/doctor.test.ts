import { found, useDoctor } from '../command/doctor-setup.js';
import { POSTGRESQL } from '../support/test-database.js';
import { BROKERS, type TestBroker } from '../support/test-brokers.js';

const { examine } = useDoctor();

describe.each(BROKERS)('a sink of $name', ({ open }) => {
  let broker: TestBroker;
  beforeAll(async () => (broker = await open()));

  test('is connected to, and sent none', async () => {
    const { findings } = await examine({ EVENT_SINK_URL: broker.url.href });
    expect(found(findings, 'sink')).toEqual({
      name: 'sink',
      state: 'ok',
      seen: 'accepts connections; nothing was sent',
    });
    expect(await broker.received()).toEqual([]);
  });
});

test('an exchange of RabbitMQ that is not there is a fail that says so', async () => {
  const broker = await BROKERS.find(({ name }) => name === 'RabbitMQ')!.open();
  const EVENT_SINK_URL = new URL('?exchange=nobody-made-it', broker.url).href;
  const { code, findings } = await examine({ EVENT_SINK_URL });
  expect(found(findings, 'sink')).toMatchObject({
    state: 'fail',
    seen: 'there is no exchange nobody-made-it',
  });
  expect(code).toBe(1);
});

test('a database that takes no writes is a fail', async () => {
  const { database, settings } = await POSTGRESQL.open();
  const [row] = await database.query<{ name: string }>('SELECT current_database() AS name');
  await database.query(`ALTER DATABASE ${row!.name} SET default_transaction_read_only = on`);
  const { code, findings } = await examine(settings);
  expect(found(findings, 'database')).toMatchObject({
    state: 'fail',
    seen: 'DATABASE_URL names a database that is read-only (25006)',
  });
  expect(code).toBe(1);
});
