import { LATE, within } from '../concurrency/within.js';
import type { FromPrimary, FromWorker } from './messages.js';

/** Sends a message to one worker. */
export type Send = (message: FromPrimary) => void;

/** A worker that serves. */
export interface Serving {
  readonly number: number;
  readonly send: Send;
}

/** The answer of a worker; undefined where it is silent. */
export interface Result {
  readonly number: number;
  readonly answer: unknown;
}

type Asked = Extract<FromWorker, { type: 'ask' }>;
type Answered = Extract<FromWorker, { type: 'answer' | 'no answer' }>;

/** In the primary: puts a worker's question to all of them, and collects the answers. */
export class Relay {
  private readonly open = new Map<
    number,
    { readonly number: number; readonly answer: (answered?: Answered) => void }
  >();
  private questions = 0;

  /** The result of each of these workers, in their order. */
  ask(workers: readonly Serving[], question: Asked): Promise<readonly Result[]> {
    return Promise.all(
      workers.map(async ({ number, send }) => ({
        number,
        answer: await this.askOne(number, send, question),
      })),
    );
  }

  /** What a worker answered; an answer that comes too late changes nothing. */
  hear(answered: Answered): void {
    this.open.get(answered.id)?.answer(answered);
  }

  /** A worker has ended: it will not answer. */
  lose(worker: number): void {
    for (const { number, answer } of this.open.values()) if (number === worker) answer();
  }

  private async askOne(number: number, send: Send, { name, argument, timeoutMs }: Asked): Promise<unknown> {
    const id = ++this.questions;
    const { promise, resolve } = Promise.withResolvers<Answered | undefined>();
    this.open.set(id, { number, answer: resolve });
    send({ type: 'question', id, name, argument });
    const answered = await within(timeoutMs, promise);
    this.open.delete(id);
    return answered !== LATE && answered?.type === 'answer' ? answered.answer : undefined;
  }
}
