import { BffError } from '../../errors/bff-error.js';
import { tupleKey } from '../../token/cache-key.js';
import type { Cancellation } from '../../http/cancellation.js';
import { UpstreamFault } from '../../http/exchange.js';
import type { RequestContext } from '../../http/request-context.js';
import { Coalescer } from './coalescer.js';
import type { Credential } from './credential.js';
import type { GraphqlResult, Outcome } from './graphql-result.js';
import type { GraphqlUpstream } from './graphql-upstream.js';
import type { Interventions } from '../interventions.js';
import { mayRenew } from './renewal.js';
import type { Task } from './task.js';
import type { UserSlots } from './user-slots.js';

const FANOUT_CALLS_MAX = 5;

/** The request that tasks belong to. */
export interface Run {
  readonly context: RequestContext;
  /** Who has the tasks under way. */
  readonly user: string;
  /** On the clock of `performance.now()`. */
  readonly deadline: number;
  /** Fires when the caller has gone. */
  readonly cancellation: Cancellation;
}

type RunOne = (task: Task, credential: Credential, run: Run) => Promise<Outcome[]>;

/**
 * Takes tasks of one credential upstream: one alone as it is, several as one array or one by one
 * (`UPSTREAM_BATCHING`). Queries run at the same time; mutations sent one by one run in their order. A caller that goes
 * takes its queries and all that is unsent with it; a mutation that is on its way is left to finish. What goes upstream
 * takes a slot of its user, one for each operation; what there is no slot for is refused alone.
 */
export class TaskRunner {
  private readonly coalescer: Coalescer<Outcome[]>;

  constructor(
    private readonly upstream: GraphqlUpstream,
    private readonly batching: 'array' | 'fanout',
    private readonly slots: UserSlots,
    private readonly interventions: Interventions,
  ) {
    this.coalescer = new Coalescer(() => interventions.count('coalesced'));
  }

  /**
   * An outcome for each task, in order.
   * @throws BffError when there is no token, and so nothing was sent
   * @throws UpstreamFault of kind `aborted` when the caller has gone
   */
  run(tasks: readonly Task[], credential: Credential, run: Run): Promise<Outcome[]> {
    if (tasks.length === 1) return this.runOne(tasks[0]!, credential, run);
    if (this.batching === 'fanout') return this.runEach(tasks, credential, run, this.runOne);
    return this.inSlots(tasks, run, (held) => this.runArray(held, credential, run));
  }

  private readonly runOne: RunOne = (task, credential, run) =>
    this.share(task, credential, run, (alone) =>
      this.inSlots([task], alone, (held) => this.runTogether(held, credential, alone)),
    );

  /** For a task that has a slot already. */
  private readonly runHeld: RunOne = (task, credential, run) =>
    this.share(task, credential, run, (alone) => this.runTogether([task], credential, alone));

  /** A query joins an equal one that is under way; a mutation never does. */
  private share(
    task: Task,
    credential: Credential,
    run: Run,
    start: (run: Run) => Promise<Outcome[]>,
  ): Promise<Outcome[]> {
    if (task.type === 'mutation') return start(run);
    const { cancellation, deadline } = run;
    const audience = tupleKey([...credential.audience, run.context.acceptLanguage ?? '']);
    const shared = { audience, body: task.bytes, cancellation, deadline };
    return this.coalescer.join(shared, (joint) => start({ ...run, cancellation: joint }));
  }

  /** Runs the tasks that the user has slots for. */
  private async inSlots(
    tasks: readonly Task[],
    { user }: Run,
    work: (held: readonly Task[]) => Promise<Outcome[]>,
  ): Promise<Outcome[]> {
    const count = this.slots.take(user, tasks.length);
    if (count === tasks.length) return work(tasks).finally(() => this.slots.release(user, count));
    this.interventions.count('user_shed', tasks.length - count);
    const refused = new BffError('rate_limited', { message: 'too many operations of one user in flight' });
    if (count === 0) return tasks.map(() => refused);
    try {
      const outcomes = await work(tasks.slice(0, count));
      return tasks.map((_, index) => outcomes[index] ?? refused);
    } finally {
      this.slots.release(user, count);
    }
  }

  /** Sends the tasks, and those that failed because of the token once more with a fresh one. */
  private async runTogether(tasks: readonly Task[], credential: Credential, run: Run): Promise<Outcome[]> {
    const held = run.context.stage('token', () => credential.get(run.context));
    const token = held instanceof Promise ? await held : held;
    const outcomes = await this.send(tasks, token, run);
    if (token === undefined) return outcomes;
    const failed = tasks.filter((task, index) => mayRenew(task, outcomes[index]!));
    if (failed.length === 0 || !(await credential.drop(token, run.context))) return outcomes;
    this.interventions.count('renewed', failed.length);
    const again = await this.sendAgain(failed, credential, run);
    return outcomes.map((outcome, index) => again[failed.indexOf(tasks[index]!)] ?? outcome);
  }

  private async sendAgain(tasks: readonly Task[], credential: Credential, run: Run): Promise<Outcome[]> {
    let token: string | undefined;
    try {
      token = await credential.get(run.context);
    } catch (error) {
      if (error instanceof BffError) return tasks.map(() => error);
      throw error;
    }
    return this.send(tasks, token, run);
  }

  private send(tasks: readonly Task[], token: string | undefined, run: Run): Promise<Outcome[]> {
    if (run.cancellation.cancelled) return Promise.reject(new UpstreamFault('aborted', false));
    const repeatable = tasks.every(({ type }) => type === 'query');
    return this.upstream.send({
      token,
      bodies: tasks.map(({ bytes }) => bytes),
      user: run.user,
      repeatable,
      deadline: run.deadline,
      cancellation: repeatable ? run.cancellation : undefined,
      context: run.context,
    });
  }

  /**
   * An array waits for the slowest of its items. When half of its time has gone by, each query is asked alone as well,
   * so that what hangs hangs alone.
   */
  private async runArray(tasks: readonly Task[], credential: Credential, run: Run): Promise<Outcome[]> {
    const cancellation = run.cancellation.child();
    const whole = this.runTogether(tasks, credential, { ...run, cancellation });
    const queries = tasks.filter(({ type }) => type === 'query');
    const halfMs = Math.max(0, run.deadline - performance.now()) / 2;
    if (!(await isLate(whole, halfMs)) || queries.length === 0 || !this.upstream.spendRetry()) return whole;
    this.interventions.count('split');
    const apart = run.cancellation.child();
    const asked = this.runEach(queries, credential, { ...run, cancellation: apart }, this.runHeld);
    const alone = asked.catch(() => queries.map(() => undefined)); // then the array stands for itself
    const first = await Promise.race([whole, alone]);
    if (first.length === tasks.length && first.every(isResult)) {
      cancellation.cancel();
      apart.cancel();
      whole.catch(() => undefined);
      return first;
    }
    const outcomes = await whole;
    const others = await alone;
    return outcomes.map((outcome, index) =>
      isResult(outcome) ? outcome : (others[queries.indexOf(tasks[index]!)] ?? outcome),
    );
  }

  private async runEach(
    tasks: readonly Task[],
    credential: Credential,
    run: Run,
    runOne: RunOne,
  ): Promise<Outcome[]> {
    await credential.get(run.context);
    const outcomes = new Array<Outcome>(tasks.length);
    const waiting = [...tasks.entries()];
    const take = (type: Task['type']): [number, Task] | undefined => {
      const next = waiting.findIndex(([, task]) => task.type === type);
      return next < 0 ? undefined : waiting.splice(next, 1)[0];
    };
    const work = async (type: Task['type']): Promise<void> => {
      for (let next = take(type); next; next = take(type)) {
        outcomes[next[0]] = await asOutcome(runOne(next[1], credential, run));
      }
    };
    const hasMutations = tasks.some(({ type }) => type === 'mutation');
    const readers = FANOUT_CALLS_MAX - (hasMutations ? 1 : 0);
    await Promise.all([work('mutation'), ...Array.from({ length: readers }, () => work('query'))]);
    return outcomes;
  }
}

/** What became of a single task, when there was no token for it too. */
async function asOutcome(outcomes: Promise<readonly Outcome[]>): Promise<Outcome> {
  try {
    return (await outcomes)[0]!;
  } catch (error) {
    if (error instanceof BffError) return error;
    throw error;
  }
}

function isResult(outcome: Outcome | undefined): outcome is GraphqlResult {
  return outcome !== undefined && !(outcome instanceof BffError);
}

/** Whether work is still under way after so many milliseconds. */
async function isLate(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(true), ms);
  });
  try {
    return await Promise.race([work.then(() => false), late]);
  } finally {
    clearTimeout(timer);
  }
}
