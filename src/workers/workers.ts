import { randomUUID } from 'node:crypto';

/** A question that a process answers for itself; `Argument` and `Answer` are plain data, which structured cloning copies. */
export interface Question<Argument, Answer> {
  readonly name: string;
  /** How long each process has to answer. */
  readonly timeoutMs: number;
  /** Never there: it gives the types a place. */
  readonly types?: (argument: Argument) => Answer;
}

/** What the processes of a start answered. */
export interface Answers<Answer> {
  /** Of the processes that answered, that of the asking one first. */
  readonly answers: readonly Answer[];
  /** Numbers of the workers that serve and did not answer, or could not. */
  readonly silent: readonly number[];
  /** Numbers of the workers that do not serve: they ended and are started again. */
  readonly absent: readonly number[];
}

/** Answers a question in this process. */
export type Answering<Argument, Answer> = (argument: Argument) => Answer | Promise<Answer>;

/**
 * The processes of one start, as each of them sees them (`WORKERS`). Only the first has the ops listener, and asks the
 * others through here for what they know and what they are to do.
 */
export abstract class Workers {
  private readonly answering = new Map<string, Answering<never, unknown>>();

  /**
   * @param number of this process, from 1; `count` how many there are
   * @param startId of this start of the service: a worker that is started again has that of the one before
   */
  protected constructor(
    readonly number: number,
    readonly count: number,
    readonly startId: string,
  ) {}

  /** True if this process has the ops listener. */
  get hasOps(): boolean {
    return this.number === 1;
  }

  /** From now on this process answers the question so. */
  answer<Argument, Answer>(
    question: Question<Argument, Answer>,
    answering: Answering<Argument, Answer>,
  ): void {
    this.answering.set(question.name, answering);
  }

  /** Asks every process, this one included, at the same time. With one process, its fault is the caller's. */
  abstract ask<Argument, Answer>(
    question: Question<Argument, Answer>,
    argument: Argument,
  ): Promise<Answers<Answer>>;

  /** The answer of this process itself. */
  protected async ownAnswer(name: string, argument: unknown): Promise<unknown> {
    const answering = this.answering.get(name);
    if (answering === undefined) throw new Error(`this process does not answer ${name}`);
    return answering(argument as never);
  }
}

/** The usual case: one process, which holds everything. */
export class OneProcess extends Workers {
  constructor() {
    super(1, 1, randomUUID());
  }

  override async ask<Argument, Answer>(
    { name }: Question<Argument, Answer>,
    argument: Argument,
  ): Promise<Answers<Answer>> {
    return { answers: [(await this.ownAnswer(name, argument)) as Answer], silent: [], absent: [] };
  }
}
