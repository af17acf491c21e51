import { ConfigError } from '../../src/config/load-config.js';
import { migrate, THIS_VERSION, type StoreVersion } from '../../src/storage/migrate.js';
import type { Migration } from '../../src/storage/database.js';
import { laterVersion } from '../support/builds.js';
import { testDatabases, type TestDatabase } from '../support/test-database.js';

const { format } = THIS_VERSION;
const TOLERATED = laterVersion('tolerated', format);
const NOT_TOLERATED = laterVersion('not tolerated', format + 1);

describe.each(testDatabases())('a database in $name', ({ name, open }) => {
  let store: TestDatabase;
  beforeEach(async () => {
    store = await open();
  });

  const query = (sql: string) => store.database.query(sql);
  const content = async () => ({
    steps: await query('SELECT * FROM migrations ORDER BY name'),
  });
  const named = async (): Promise<unknown> =>
    (await query('SELECT MAX(oldest_format) AS oldest_format FROM migrations'))[0];
  const refusal = async (version?: StoreVersion): Promise<unknown> => {
    const before = await content();
    const fault: unknown = await migrate(store.database, version).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(ConfigError);
    expect(await content()).toEqual(before);
    return String(fault);
  };

  test('names the oldest format of the versions that can use it', async () => {
    expect(await named()).toEqual({ oldest_format: format });
  });

  test('that a later version migrated in a way this one tolerates is used, and the unknown step named', async () => {
    await migrate(store.database, TOLERATED);
    const before = await content();
    expect(await migrate(store.database)).toEqual({ unknown: ['9999-tolerated'] });
    expect(await content()).toEqual(before);
  });

  test('that a later version migrated in a way this one does not tolerate is refused, and left as it is', async () => {
    await migrate(store.database, NOT_TOLERATED);
    const setting = name === 'SQLite' ? 'DATA_DIR' : 'DATABASE_URL';
    expect(await refusal()).toMatch(
      new RegExp(
        `${setting} holds a database of a newer version of the service.*format ${format + 1}.*has ${format}\\b`,
      ),
    );
  });

  test('made before the first release is refused with what to do, and left as it is', async () => {
    await query('ALTER TABLE migrations DROP COLUMN oldest_format');
    expect(await refusal()).toMatch(/before the first release.*name an empty one.*subscriptions replay/);
  });

  test('keeps the format it names when a version adds a step that older ones tolerate', async () => {
    const further: Migration = { name: '99999-further', oldestFormat: format, sql: '' };
    await migrate(store.database, NOT_TOLERATED);
    await migrate(store.database, { ...NOT_TOLERATED, migrations: [...THIS_VERSION.migrations, further] });
    expect(await named()).toEqual({ oldest_format: format + 1 });
    expect(await refusal()).toContain('newer version');
  });

  test('lacking a step of this version gets it beside one that this version does not know', async () => {
    const step: Migration = { name: '9998-late', oldestFormat: format, sql: '' };
    await migrate(store.database, TOLERATED);
    await migrate(store.database, { format, migrations: [...THIS_VERSION.migrations, step] });
    expect(await query("SELECT name FROM migrations WHERE name > '9' ORDER BY name")).toEqual([
      { name: '9998-late' },
      { name: '9999-tolerated' },
    ]);
  });
});

test('a migration is tolerated by the versions that it says, and this version is one of them', () => {
  for (const { name, oldestFormat } of THIS_VERSION.migrations) {
    expect({ name, isTolerated: oldestFormat <= format }).toEqual({ name, isTolerated: true });
  }
});
