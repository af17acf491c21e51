import { exchange, openPool } from './exchange.js';

test('an unknown option of an exchange is a compile error, in a variable as in a literal', async () => {
  const pool = openPool(new URL('http://127.0.0.1:1'), 1);
  const known = { method: 'GET', path: '/', headers: {}, timeoutMs: 50, bodyBytesMax: 0 } as const;
  const unknown = { ...known, signal: AbortSignal.abort() };
  await expect(exchange(pool, known)).rejects.toMatchObject({ name: 'ExchangeFault' });
  // @ts-expect-error `cancellation` cancels an exchange; a signal would be ignored
  await expect(exchange(pool, unknown)).rejects.toMatchObject({ name: 'ExchangeFault' });
  // @ts-expect-error the same by spread
  await expect(exchange(pool, { ...unknown })).rejects.toMatchObject({ name: 'ExchangeFault' });
  await pool.destroy();
});
