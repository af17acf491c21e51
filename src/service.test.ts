import { boundHooks } from './service.js';

interface Stopping {
  onApplicationShutdown(): Promise<void>;
}

/** The bounded hooks of a shutdown without time left, and what was logged. */
function bound(hook: () => Promise<void>): { stopping: Stopping; logged: unknown[] } {
  const logged: unknown[] = [];
  const bind = boundHooks({ error: (...line: unknown[]) => void logged.push(line.at(-1)) }, () => 0);
  return { stopping: bind({ onApplicationShutdown: hook }) as Stopping, logged };
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
    const bind = boundHooks({ error: () => undefined }, () => 0);
    for (const value of [plain, undefined, null, 'text']) expect(bind(value)).toBe(value);
  });
});
