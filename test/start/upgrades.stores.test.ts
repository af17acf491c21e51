import supertest from 'supertest';
import { DEMO } from '../../playground/src/demo.js';
import { CONFIG_EXIT_CODE, type Environment } from '../../src/config/load-config.js';
import type { Database } from '../../src/storage/database.js';
import { migrate, THIS_VERSION } from '../../src/storage/migrate.js';
import { PostgresDatabase } from '../../src/storage/postgres/postgres-database.js';
import { SqliteDatabase } from '../../src/storage/sqlite/sqlite-database.js';
import { newFolder } from '../support/machine.js';
import { askToken, grant, serviceEnvironment, untilReady } from '../support/start-stack.js';
import { laterVersion, previousVersion } from '../support/builds.js';
import { runProcess, startProcess, type ServiceProcess } from '../support/start-process.js';
import { testDatabases, type TestDatabase } from '../support/test-database.js';
import { anEvent, sendWebhook } from '../webhooks/send-webhook.js';
import { usePlayground } from '../playground/client.js';

const WARNING = /"level":"warn".*"9999-later".*newer version/;
const { format } = THIS_VERSION;
/** That of the previous version is no lower: no step asks for one that it does not have. */
const previousFormat = Math.max(...THIS_VERSION.migrations.map(({ oldestFormat }) => oldestFormat));
const [BANKSIA, NUSANTARA] = DEMO.hirers.map(({ hirerId }) => hirerId) as [string, string];

const previous = previousVersion();

const playground = usePlayground({ size: 5 });

/** A member is granted, asks for a token, and an event arrives: what the service writes to its store. */
async function use({ url, opsUrl }: ServiceProcess, subject: string, hirerId: string): Promise<void> {
  await untilReady({ opsUrl });
  await grant(opsUrl, { subject, hirerId, roles: ['member'] });
  const scope = 'query:ontologies';
  const { status, body } = await askToken({ url }, await playground.signIn(subject), { hirerId, scope });
  expect({ status, body }).toMatchObject({ status: 200 });
  const sent = await sendWebhook(url, playground.settings['WEBHOOK_SECRETS']!, [anEvent({ hirerId })]);
  expect(sent.status).toBe(204);
}

/** The contents of a service's store: members and events of a hirer, and its granted tokens. */
async function found({ opsUrl }: ServiceProcess, hirerId: string): Promise<Record<string, number>> {
  const count = async (path: string): Promise<number> =>
    (await supertest(opsUrl).get(path).query({ hirer: hirerId }).expect(200)).body.items.length;
  return {
    members: await count('/memberships'),
    events: await count('/events'),
    tokens: await count('/audit?outcome=issued'),
  };
}

describe.each(testDatabases())('on a store in $name', ({ name, open }) => {
  let store: TestDatabase;
  let environment: Environment;
  beforeEach(async () => {
    store = await open();
    const dataDir = newFolder();
    const settings = name === 'SQLite' ? { DATA_DIR: dataDir } : store.settings;
    environment = { ...serviceEnvironment(playground), ...settings };
  });

  const later = async (oldestFormat: number): Promise<void> => {
    const { DATABASE_URL, DATA_DIR } = environment;
    const database: Database = DATABASE_URL
      ? new PostgresDatabase(DATABASE_URL)
      : new SqliteDatabase(DATA_DIR!);
    await migrate(database, laterVersion('later', oldestFormat));
    await database.close();
  };

  test('a step of a later version that this one does not tolerate ends the start with exit code 78', async () => {
    await later(format + 1);
    const { code, text } = await runProcess(environment);
    expect(text).toMatch(/(DATA_DIR|DATABASE_URL) holds a database of a newer version.*store format/);
    expect(code).toBe(CONFIG_EXIT_CODE);
  });

  test(`the previous version (${previous.name}) takes the store over and gives it back`, async () => {
    const first = await startProcess(environment);
    await use(first, 'amelia', BANKSIA);
    expect(await first.stop()).toBe(0);
    const back = await startProcess(environment, previous.program);
    await use(back, 'bayu', BANKSIA);
    expect(await found(back, BANKSIA)).toEqual({ members: 2, events: 2, tokens: 2 });
    expect(await back.stop()).toBe(0);
    const forth = await startProcess(environment);
    expect(await found(forth, BANKSIA)).toEqual({ members: 2, events: 2, tokens: 2 });
    expect(await forth.stop()).toBe(0);
  });

  if (name === 'SQLite') return;

  test(`the previous version (${previous.name}) and this one work side by side, and the former starts again`, async () => {
    const older = await startProcess(environment, previous.program);
    const newer = await startProcess(environment);
    await use(older, 'amelia', BANKSIA);
    await use(newer, 'bayu', BANKSIA);
    await use(newer, 'amelia', NUSANTARA);
    await use(older, 'bayu', NUSANTARA);
    await later(previousFormat);
    await use(older, 'chanida', BANKSIA);
    await use(newer, 'dora', NUSANTARA);
    const again = await startProcess(environment, previous.program);
    expect(again.logText()).toMatch(WARNING);
    await use(again, 'dora', BANKSIA);
    await use(again, 'chanida', NUSANTARA);
    expect(await older.stop()).toBe(0);
    expect(await again.stop()).toBe(0);
    for (const hirerId of [BANKSIA, NUSANTARA]) {
      expect(await found(newer, hirerId)).toEqual({ members: 4, events: 4, tokens: 4 });
    }
  });
});
