import { ConfigError } from '../../src/config/load-config.js';
import { migrate } from '../../src/storage/migrate.js';
import { TEST_DATABASES } from '../support/test-database.js';

test.each(TEST_DATABASES)(
  'a database in $name that a newer version migrated is refused, and not changed',
  async ({ name, open }) => {
    const { database, drop } = await open();
    const steps = () => database.query('SELECT name FROM migrations ORDER BY name');
    try {
      await database.query("DELETE FROM migrations WHERE name = '0020-audit-requests'");
      await database.query("INSERT INTO migrations VALUES ('9999-future', 1)");
      const before = await steps();
      const fault: unknown = await migrate(database).catch((error: unknown) => error);
      expect(fault).toBeInstanceOf(ConfigError);
      expect(String(fault)).toContain(name === 'SQLite' ? 'DATA_DIR' : 'DATABASE_URL');
      expect(await steps()).toEqual(before);
    } finally {
      await drop();
    }
  },
);
