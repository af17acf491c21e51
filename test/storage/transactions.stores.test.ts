import type { Database } from '../../src/storage/database.js';
import { testDatabases } from '../support/test-database.js';
import { until } from '../support/until.js';

const LOCK = 'SELECT pg_advisory_xact_lock(1)';
const WAITING = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** New sessions of the database begin with this setting. */
async function beginWith(database: Database, setting: string): Promise<void> {
  const [row] = await database.query<{ name: string }>('SELECT current_database() AS name');
  await database.query(`ALTER DATABASE ${row!.name} SET ${setting}`);
}

describe.each(testDatabases())('a transaction on $name', ({ isServer, open }) => {
  test('whose work fails leaves nothing behind, and passes on what it threw', async () => {
    const { database } = await open();
    await database.query('CREATE TABLE leftovers (id INTEGER)');
    const own = new TypeError('the work failed');
    const failed = database.transaction(async (tx) => {
      await tx.query('INSERT INTO leftovers VALUES (1)');
      throw own;
    });
    await expect(failed).rejects.toBe(own);
    expect(await database.query('SELECT id FROM leftovers')).toEqual([]);
  });

  test('has nothing to do with a statement from outside that comes meanwhile', async () => {
    const { database } = await open();
    await database.query('CREATE TABLE written (writer TEXT)');
    let outside: Promise<unknown> | undefined;
    const failed = database.transaction(async (tx) => {
      await tx.query("INSERT INTO written VALUES ('transaction')");
      outside = database.query("INSERT INTO written VALUES ('outside')");
      for (let query = 0; query < 10; query += 1) await tx.query('SELECT 1');
      throw new Error('the work failed');
    });
    await expect(failed).rejects.toThrow('the work failed');
    await outside;
    expect(await database.query('SELECT writer FROM written')).toEqual([{ writer: 'outside' }]);
  });

  test('ends with its last statement, whose rows it gives', async () => {
    const { database } = await open();
    await database.query('CREATE TABLE written (id INTEGER)');
    const rows = await database.transaction(async (tx) => {
      await tx.query('INSERT INTO written VALUES (1)');
      return tx.last('INSERT INTO written VALUES (2) RETURNING id');
    });
    expect(rows).toEqual([{ id: 2 }]);
    expect(await database.query('SELECT id FROM written ORDER BY id')).toEqual([{ id: 1 }, { id: 2 }]);
  });

  test('holds a lock to its end, and another replica waits for it', async () => {
    const { database, replica } = await open();
    const other = replica();
    await other.ping();
    const order: string[] = [];
    let next: Promise<void> | undefined;
    await database.transaction(async (tx) => {
      await tx.lock(1);
      next = other.transaction(async (waiting) => {
        await waiting.lock(1);
        order.push('next');
      });
      for (let query = 0; query < 100; query += 1) await tx.query('SELECT 1');
      order.push('first');
    });
    await next;
    expect(order).toEqual(['first', 'next']);
  });

  if (isServer) {
    test('tells the time by the clock of the server, in statements, too', async () => {
      const { database } = await open();
      const clock = jest.spyOn(Date, 'now').mockReturnValue(0);
      try {
        const [row] = await database.query<{ ms: number; here: number }>(
          'SELECT CAST(extract(epoch FROM now()) * 1000 AS BIGINT) AS ms, :now AS here',
        );
        expect(Math.abs(row!.here - row!.ms)).toBeLessThan(1_000);
        expect((await database.now()) - row!.ms).toBeLessThan(60_000);
      } finally {
        clock.mockRestore();
      }
    });

    test.each(['repeatable read', 'serializable'])(
      'sees what was committed while it waited for its lock, also where the database begins with %s',
      async (level) => {
        const { database, replica } = await open();
        await beginWith(database, `default_transaction_isolation = '${level}'`);
        await database.query('CREATE TABLE written (id INTEGER)');
        const [first, second] = [replica(), replica()];
        let waiting: Promise<unknown> | undefined;
        await first.transaction(async (tx) => {
          await tx.lock(1);
          await tx.query('INSERT INTO written VALUES (1)');
          waiting = second.transaction(async (next) => {
            await next.lock(1);
            return next.query('SELECT id FROM written');
          });
          await until(async () => (await database.query(WAITING)).length === 1);
        });
        expect(await waiting).toEqual([{ id: 1 }]);
      },
    );

    test.each([
      ['off', 'on'],
      ['on', 'on'],
      ['local', 'local'],
      ['remote_apply', 'remote_apply'],
    ])(
      'waits for the disk, and so does a statement alone: where the database begins with synchronous_commit %s, with %s',
      async (setting, expected) => {
        const { database, replica } = await open();
        await beginWith(database, `synchronous_commit = ${setting}`);
        const other = replica();
        const show = 'SHOW synchronous_commit';
        const waits = [await other.query(show), await other.transaction((tx) => tx.query(show))];
        expect(waits.flat()).toEqual([{ synchronous_commit: expected }, { synchronous_commit: expected }]);
      },
    );

    test('whose deadline is lifted may take long to commit, as where many foreign keys are checked then', async () => {
      const { database } = await open();
      await database.query('CREATE TABLE written (id INTEGER)');
      await database.query(`CREATE FUNCTION check_slowly() RETURNS trigger LANGUAGE plpgsql
          AS 'BEGIN PERFORM pg_sleep(4.5); RETURN NULL; END'`);
      await database.query(`CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON written
          DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_slowly()`);
      await database.transaction(async (tx) => {
        await tx.liftDeadline();
        await tx.query('INSERT INTO written VALUES (1)');
      });
      expect(await database.query('SELECT id FROM written')).toEqual([{ id: 1 }]);
    }, 15_000);

    test('that stops halfway is ended, and gives its locks to the next replica', async () => {
      const { database, replica } = await open();
      const other = replica();
      const [timeout] = await database.query('SHOW idle_in_transaction_session_timeout');
      expect(timeout).toEqual({ idle_in_transaction_session_timeout: '10s' });
      let isFree = false;
      const stopped = database.transaction(async (tx) => {
        await tx.query(LOCK);
        await tx.query('SET LOCAL idle_in_transaction_session_timeout = 50');
        await other.transaction((next) => next.query(LOCK));
        isFree = true;
        await tx.query('SELECT 1');
      });
      await expect(stopped).rejects.toThrow();
      expect(isFree).toBe(true);
      await database.ping();
    });
  }
});
