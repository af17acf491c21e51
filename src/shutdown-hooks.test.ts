import { ShutdownHooks } from './shutdown-hooks.js';

interface Stopping {
  onApplicationShutdown(): Promise<void>;
}

/** The bounded hooks of a shutdown without time left, and what was logged. */
function bound(hook: () => Promise<void>): { stopping: Stopping; logged: unknown[] } {
  const logged: unknown[] = [];
  const hooks = new ShutdownHooks({ error: (...line: unknown[]) => void logged.push(line.at(-1)) });
  hooks.limit(0);
  return { stopping: hooks.bound({ onApplicationShutdown: hook }) as Stopping, logged };
}

describe('a shutdown hook', () => {
  test('that hangs is abandoned, and reported', async () => {
    const { stopping, logged } = bound(() => new Promise(() => undefined));
    await stopping.onApplicationShutdown();
    expect(logged).toEqual(['a module did not stop in time']);
  });

  test.each([
    ['rejects', () => Promise.reject(new Error('cannot'))],
    [
      'throws',
      () => {
        throw new Error('cannot');
      },
    ],
  ])('that %s is reported, and keeps no other from running', async (_how, hook) => {
    const { stopping, logged } = bound(hook);
    await stopping.onApplicationShutdown();
    expect(logged).toEqual(['a module failed to stop']);
  });

  test('that ends is not logged, and what has no hook is unchanged', async () => {
    const { stopping, logged } = bound(() => Promise.resolve());
    await stopping.onApplicationShutdown();
    expect(logged).toEqual([]);
    const plain = Object.freeze({ name: 'plain' });
    const hooks = new ShutdownHooks({ error: () => undefined });
    for (const value of [plain, undefined, null, 'text']) expect(hooks.bound(value)).toBe(value);
  });
});
