import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Load } from './generator-process.js';

/**
 * The one that sends requests at fixed times, in a process of its own, where nothing else runs. Its garbage is collected
 * before each load, and its young generation is large: a collection during a load would be taken for the server's delay.
 */
export class Generator {
  private readonly child: ChildProcess = fork(join(import.meta.dirname, 'generator-process.js'), {
    execArgv: ['--expose-gc', '--min-semi-space-size=256', '--max-semi-space-size=256'],
    serialization: 'advanced',
  }).once('exit', (code) => {
    throw new Error(`the load generator ended with code ${code}`);
  });

  /** The sorted latencies of one load, in milliseconds ({@link sendAtRate}). One load at a time. */
  async send(load: Load): Promise<Float64Array> {
    this.child.send(load);
    const [latencies] = (await once(this.child, 'message')) as [Float64Array];
    return latencies;
  }

  stop(): void {
    this.child.removeAllListeners('exit');
    this.child.kill('SIGKILL');
  }
}
