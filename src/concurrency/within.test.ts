import { LATE, within } from './within.js';

const never = new Promise<never>(() => undefined);

test('gives what came in time, rejections included, and says when nothing did', async () => {
  expect(await within(10_000, Promise.resolve('here'))).toBe('here');
  await expect(within(10_000, Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await within(1, never)).toBe(LATE);
});
