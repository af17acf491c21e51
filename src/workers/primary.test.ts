import type { Worker } from 'node:cluster';
import { EventEmitter, once } from 'node:events';
import type { FromPrimary, FromWorker } from './messages.js';
import { Primary } from './primary.js';
import type { Answers } from './workers.js';

/** A worker that answers every question with its number. */
class FakeWorker extends EventEmitter {
  readonly process = { kill: () => true };
  readonly answers: Answers<unknown>[] = [];

  constructor(readonly number: number) {
    super();
  }

  isConnected(): boolean {
    return true;
  }

  send(message: FromPrimary): void {
    if (message.type === 'answers') {
      this.answers.push(message.answers);
      this.emit('answered');
    } else {
      setImmediate(() => this.tell({ type: 'answer', id: message.id, answer: this.number }));
    }
  }

  tell(message: FromWorker): void {
    this.emit('message', message);
  }
}

function startTwo() {
  const started = new EventEmitter();
  const workers: FakeWorker[] = [];
  const primary = new Primary({
    count: 2,
    config: { SHUTDOWN_DELAY_MS: 0, SHUTDOWN_TIMEOUT_MS: 0 },
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    isDebugged: true,
    fork: (number) => {
      const worker = new FakeWorker(number);
      workers.push(worker);
      started.emit('worker');
      return worker as unknown as Worker;
    },
    print: () => undefined,
  });
  void primary.run();
  return { workers, started };
}

const SERVING = { type: 'serving', publicUrl: 'http://public', opsUrl: 'http://ops' } as const;

test('a worker that asks before it counts as serving is asked itself', async () => {
  const [first] = startTwo().workers;
  const answered = once(first!, 'answered');
  first!.tell({ type: 'ask', id: 1, name: 'anything', timeoutMs: 10_000, argument: undefined });
  await answered;
  expect(first!.answers).toEqual([{ answers: [1], silent: [], absent: [1, 2] }]);
});

test('a channel that breaks while its worker ends changes nothing: the worker is started again', async () => {
  const { workers, started } = startTwo();
  for (const worker of workers) worker.tell(SERVING);
  const again = once(started, 'worker');
  workers[1]!.emit('exit', null, 'SIGKILL');
  workers[1]!.emit('error', new Error('write EPIPE'));
  workers[1]!.emit('disconnect');
  await again;
  expect(workers.map(({ number }) => number)).toEqual([1, 2, 2]);
});
