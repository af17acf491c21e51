import { startPlayground } from '../../playground/src/playground.js';
import { builtProgram, startProcess } from '../support/start-process.js';
import { serviceEnvironment } from '../support/start-stack.js';

test('V8 allocates nothing as old ahead of its time: dead, it would keep all of a request until the next full collection', async () => {
  const playground = await startPlayground({ port: 0, size: 5 });
  const program = builtProgram('--trace-gc', '--trace-pretenuring-statistics');
  const service = await startProcess(serviceEnvironment(playground), program);
  await service.printed(/Scavenge/);
  await service.stop();
  await playground.close();
  expect(service.logText()).not.toContain('AllocationSite');
});
