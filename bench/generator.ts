import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Load } from './generator-process.js';

/**
 * The one that sends requests at fixed times, in a process of its own: its garbage is collected between loads and not
 * during one (a young generation of 128 MB holds all that a load leaves), and nothing else runs there. A full collection
 * of a generator that shared its process with the upstream took 40 ms, which were the whole tail of what it measured.
 */
export class Generator {
  private readonly child: ChildProcess = fork(join(import.meta.dirname, 'generator-process.js'), {
    execArgv: ['--expose-gc', '--min-semi-space-size=128', '--max-semi-space-size=128'],
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
