import { TEST_DATABASES } from '../support/test-database.js';

const LOCK = 'SELECT pg_advisory_xact_lock(1)';

describe.each(TEST_DATABASES.filter(({ name }) => name === 'PostgreSQL'))('$name', ({ open }) => {
  test('ends a transaction that stops halfway, and gives its locks to the next replica', async () => {
    const { database, replica, drop } = await open();
    const other = replica();
    try {
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
    } finally {
      await drop();
    }
  });
});
