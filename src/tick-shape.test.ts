import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const module = pathToFileURL(join(import.meta.dirname, 'tick-shape.ts')).href;
/** Prints the least time that 10,000 ticks took, before and after collections during which no tick waited. */
const PROGRAM = `
  import { setTimeout as pause } from 'node:timers/promises';
  import { keepTickShape } from ${JSON.stringify(module)};
  keepTickShape();
  const run = () => new Promise((resolve) => {
    const startedAt = performance.now();
    let left = 10_000;
    const tick = () => (left-- > 0 ? process.nextTick(tick) : resolve(performance.now() - startedAt));
    process.nextTick(tick);
  });
  const leastTime = async () => {
    const times = [];
    for (let i = 0; i < 100; i += 1) times.push(await run());
    return Math.min(...times);
  };
  const before = await leastTime();
  for (let i = 0; i < 6; i += 1) {
    await pause(10);
    gc();
  }
  console.log(JSON.stringify([before, await leastTime()]));
`;

test('a tick costs no more after full collections than before', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    '--input-type=module',
    '--eval',
    PROGRAM,
  ]);
  const [before, after] = JSON.parse(stdout) as [number, number];
  expect(after / before).toBeLessThan(2.5);
});
