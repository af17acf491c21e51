import type { FromPrimary, FromWorker } from './messages.js';
import { Workers, type Answers, type Question } from './workers.js';

/** The channel to the primary: `process` of a worker. */
export type Channel = Pick<NodeJS.Process, 'send' | 'on'>;

/** One of several workers. It asks the others through the primary, which knows which of them serve. */
export class WorkerProcess extends Workers {
  private readonly asked = new Map<number, (answers: Answers<unknown>) => void>();
  private questions = 0;

  /** @param place its number, the count of all and the id of the start, as the primary gave them: `2/4/1b4e28ba` */
  constructor(
    private readonly channel: Channel,
    place: string,
  ) {
    const [number, count, startId] = place.split('/');
    super(Number(number), Number(count), startId!);
    channel.on('message', (message) => void this.hear(message as FromPrimary));
  }

  /** Tells the primary that this worker serves. */
  serve(publicUrl: string, opsUrl: string): void {
    this.send({ type: 'serving', publicUrl, opsUrl });
  }

  /** Tells the primary why this worker cannot start; resolves when it may end. */
  fail(message: string): Promise<void> {
    const failed: FromWorker = { type: 'failed', message };
    return new Promise((resolve) => void this.channel.send?.(failed, () => resolve()));
  }

  override ask<Argument, Answer>(
    { name, timeoutMs }: Question<Argument, Answer>,
    argument: Argument,
  ): Promise<Answers<Answer>> {
    const id = ++this.questions;
    const { promise, resolve } = Promise.withResolvers<Answers<unknown>>();
    this.asked.set(id, resolve);
    this.send({ type: 'ask', id, name, timeoutMs, argument });
    return promise as Promise<Answers<Answer>>;
  }

  private async hear(message: FromPrimary): Promise<void> {
    if (message.type === 'answers') {
      this.asked.get(message.id)?.(message.answers);
      this.asked.delete(message.id);
      return;
    }
    const { id, name, argument } = message;
    try {
      this.send({ type: 'answer', id, answer: await this.ownAnswer(name, argument) });
    } catch {
      this.send({ type: 'no answer', id });
    }
  }

  private send(message: FromWorker): void {
    this.channel.send?.(message);
  }
}
