import { startPlayground, type Playground } from '../../playground/src/playground.js';
import { builtProgram, startProcess } from '../support/start-process.js';
import { serviceEnvironment } from '../support/start-stack.js';

let playground: Playground;
beforeAll(async () => void (playground = await startPlayground({ port: 0, size: 5 })));
afterAll(() => playground.close());

test('V8 allocates nothing as old ahead of its time: dead, it would keep all of a request until the next full collection', async () => {
  const program = builtProgram('--trace-gc', '--trace-pretenuring-statistics');
  const service = await startProcess(serviceEnvironment(playground), program);
  await service.printed(/Scavenge/);
  await service.stop();
  expect(service.logText()).not.toContain('AllocationSite');
});

/** On SIGUSR2, makes 400 MB of objects that outlive a small young generation; some 5 MB of them are alive at a time. */
const OUTLIVES = `data:text/javascript,${encodeURIComponent(`
  process.once('SIGUSR2', async () => {
    const alive = Array(64).fill();
    const before = process.memoryUsage().heapUsed;
    const used = [];
    for (let count = 0; count < 6_400; count += 1) {
      alive[count % 64] = Array.from({ length: 2_000 }, () => ({ count }));
      used.push(process.memoryUsage().heapUsed);
      await new Promise(setImmediate);
    }
    const median = used.sort((one, other) => one - other)[3_200];
    process.stdout.write('heap grew ' + (median / before).toFixed(2) + ' times;');
  });
`)}`;

test('what outlives the young generation by chance is collected early: half of the time, the heap is less than twice as large', async () => {
  const program = builtProgram('--max-semi-space-size=1', '--import', OUTLIVES);
  const service = await startProcess(serviceEnvironment(playground), program);
  service.child.kill('SIGUSR2');
  const printed = await service.printed(/heap grew [\d.]+ times;/);
  await service.stop();
  expect(Number(/[\d.]+/.exec(printed)![0])).toBeLessThan(2);
});
