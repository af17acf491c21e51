import { hash } from 'node:crypto';
import { BffError } from '../errors/bff-error.js';
import { tupleKey } from '../token/cache-key.js';
import { UpstreamFault } from '../upstream/http-exchange.js';
import type { RequestContext } from '../upstream/request-context.js';
import { Coalescer } from './coalescer.js';
import type { Credential } from './credential.js';
import type { Outcome } from './graphql-result.js';
import type { GraphqlUpstream } from './graphql-upstream.js';
import type { Interventions } from './interventions.js';
import { sendRenewed, type SendTasks } from './renewal.js';
import type { Task } from './task.js';

const FANOUT_CALLS_MAX = 5;

/** The request that tasks belong to. */
export interface Run {
  readonly context: RequestContext;
  /** On the clock of `performance.now()`. */
  readonly deadline: number;
  /** Fires when the caller has gone. */
  readonly signal: AbortSignal;
}

/**
 * Takes tasks of one credential upstream: one alone as it is, several as one array or one by one
 * (`UPSTREAM_BATCHING`). Queries run at the same time; mutations sent one by one run in their order. A caller that goes
 * takes its queries and all that is unsent with it; a mutation that is on its way is left to finish.
 */
export class TaskRunner {
  private readonly coalescer: Coalescer<Outcome[]>;

  constructor(
    private readonly upstream: GraphqlUpstream,
    private readonly batching: 'array' | 'fanout',
    private readonly interventions: Interventions,
  ) {
    this.coalescer = new Coalescer(() => interventions.count('coalesced'));
  }

  /**
   * An outcome for each task, in order.
   * @throws BffError when there is no token, and so nothing was sent
   * @throws UpstreamFault of kind `aborted` when the caller has gone
   */
  async run(tasks: readonly Task[], credential: Credential, run: Run): Promise<Outcome[]> {
    if (tasks.length === 1) return this.runOne(tasks[0]!, credential, run);
    if (this.batching === 'array') return this.runTogether(tasks, credential, run);
    await credential.get(run.context);
    return this.runEach(tasks, credential, run);
  }

  private runTogether(tasks: readonly Task[], credential: Credential, run: Run): Promise<Outcome[]> {
    const onRenewal = (items: number): void => this.interventions.count('renewed', items);
    return sendRenewed(tasks, credential, run.context, this.sender(run), onRenewal);
  }

  private runOne(task: Task, credential: Credential, run: Run): Promise<Outcome[]> {
    if (task.type === 'mutation') return this.runTogether([task], credential, run);
    const { acceptLanguage = '' } = run.context;
    const key = tupleKey([...credential.audience, acceptLanguage, hash('sha256', task.bytes, 'base64')]);
    return this.coalescer.join(key, run.signal, (signal) =>
      this.runTogether([task], credential, { ...run, signal }),
    );
  }

  private async runEach(tasks: readonly Task[], credential: Credential, run: Run): Promise<Outcome[]> {
    const outcomes = new Array<Outcome>(tasks.length);
    const waiting = [...tasks.entries()];
    const take = (type: Task['type']): [number, Task] | undefined => {
      const next = waiting.findIndex(([, task]) => task.type === type);
      return next < 0 ? undefined : waiting.splice(next, 1)[0];
    };
    const work = async (type: Task['type']): Promise<void> => {
      for (let next = take(type); next; next = take(type)) {
        outcomes[next[0]] = await this.runAlone(next[1], credential, run);
      }
    };
    const hasMutations = tasks.some(({ type }) => type === 'mutation');
    const readers = FANOUT_CALLS_MAX - (hasMutations ? 1 : 0);
    await Promise.all([work('mutation'), ...Array.from({ length: readers }, () => work('query'))]);
    return outcomes;
  }

  private async runAlone(task: Task, credential: Credential, run: Run): Promise<Outcome> {
    try {
      return (await this.runOne(task, credential, run))[0]!;
    } catch (fault) {
      if (fault instanceof BffError) return fault;
      throw fault;
    }
  }

  private sender({ context, deadline, signal }: Run): SendTasks {
    return async (tasks, token) => {
      if (signal.aborted) throw new UpstreamFault('aborted', false);
      const repeatable = tasks.every(({ type }) => type === 'query');
      const bodies = tasks.map(({ bytes }) => bytes);
      try {
        return await this.upstream.send({
          token,
          bodies,
          repeatable,
          deadline,
          signal: repeatable ? signal : undefined,
          context,
        });
      } catch (fault) {
        if (fault instanceof BffError) return tasks.map(() => fault);
        throw fault;
      }
    };
  }
}
