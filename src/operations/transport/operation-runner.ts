import { Inject, Injectable } from '@nestjs/common';
import { UserBudget } from '../../concurrency/user-budget.js';
import { LATE, within } from '../../concurrency/within.js';
import { CONFIG, type Config } from '../../config/load-config.js';
import { BffError } from '../../errors/bff-error.js';
import type { Cancellation } from '../../http/cancellation.js';
import { UpstreamFault } from '../../http/outgoing/exchange.js';
import type { RequestContext } from '../../http/request-context.js';
import { tupleKey } from '../../token/cache-key.js';
import { useToken, type TokenUse } from '../../token/use-token.js';
import { Interventions } from '../interventions.js';
import type { Operation } from '../operation.js';
import { Coalescer } from './coalescer.js';
import type { GraphqlResult, Outcome } from './graphql-result.js';
import { GraphqlUpstream } from './graphql-upstream.js';
import { mayRenew } from './renewal.js';

const FANOUT_CALLS_MAX = 5;

/** Settings that {@link OperationRunner} reads. */
type RunnerSettings = Pick<Config, 'UPSTREAM_BATCHING' | 'USER_IN_FLIGHT_MAX'>;

/** Runs one operation. What goes upstream ends when the cancellation fires: that of the request, or a child of it. */
type RunOne = (
  operation: Operation,
  context: RequestContext,
  cancellation: Cancellation,
) => Promise<Outcome[]>;

/**
 * Takes operations of one credential upstream: a single one as it is, several as one array or one by one
 * (`UPSTREAM_BATCHING`). Queries run at the same time; mutations sent one by one run in their order. When the caller
 * disconnects, its queries and everything unsent are cancelled; a mutation that is on its way is left to finish. Each
 * operation that goes upstream counts for its user, and is refused alone beyond `USER_IN_FLIGHT_MAX`.
 */
@Injectable()
export class OperationRunner {
  private readonly coalescer: Coalescer<Outcome[]>;
  private readonly inFlight: UserBudget;

  constructor(
    private readonly upstream: GraphqlUpstream,
    private readonly interventions: Interventions,
    @Inject(CONFIG) private readonly config: RunnerSettings,
  ) {
    this.coalescer = new Coalescer(() => interventions.count('coalesced'));
    const perUserMax = config.USER_IN_FLIGHT_MAX;
    this.inFlight = new UserBudget({ perUserMax, totalMax: Infinity, what: 'operations in flight' });
  }

  /**
   * An outcome for each operation, in order.
   * @throws BffError when there is no token, and so nothing was sent
   * @throws UpstreamFault of kind `aborted` when the caller has disconnected
   */
  run(operations: readonly Operation[], context: RequestContext): Promise<Outcome[]> {
    const { cancellation } = context;
    if (operations.length === 1) return this.runOne(operations[0]!, context, cancellation);
    if (this.config.UPSTREAM_BATCHING === 'fanout') {
      return this.runEach(operations, context, cancellation, this.runOne);
    }
    return this.withinBudget(operations, (admitted) => this.runArray(admitted, context));
  }

  private readonly runOne: RunOne = (operation, context, cancellation) =>
    this.share(operation, context, cancellation, (shared) =>
      this.withinBudget([operation], (admitted) => this.runTogether(admitted, context, shared)),
    );

  /** For an operation that counts in the budget already. */
  private readonly runCounted: RunOne = (operation, context, cancellation) =>
    this.share(operation, context, cancellation, (shared) => this.runTogether([operation], context, shared));

  /** A query joins an equal one that is under way, and waits for the upstream's answer to it; a mutation never does. */
  private share(
    { type, bytes: body, credential }: Operation,
    context: RequestContext,
    cancellation: Cancellation,
    start: (cancellation: Cancellation) => Promise<Outcome[]>,
  ): Promise<Outcome[]> {
    if (type === 'mutation') return start(cancellation);
    const { acceptLanguage, deadline } = context;
    const audience = tupleKey([...credential.audience, acceptLanguage ?? '']);
    let isJoined = true;
    const outcomes = this.coalescer.join({ audience, body, cancellation, deadline }, (shared) => {
      isJoined = false;
      return start(shared);
    });
    return isJoined ? context.waitFor(outcomes) : outcomes;
  }

  /** Runs as many of the operations as the user may have in flight. */
  private async withinBudget(
    operations: readonly Operation[],
    work: (admitted: readonly Operation[]) => Promise<Outcome[]>,
  ): Promise<Outcome[]> {
    const { user } = operations[0]!.credential;
    const count = this.inFlight.takeUpTo(user, operations.length);
    if (count === operations.length) {
      return work(operations).finally(() => this.inFlight.release(user, count));
    }
    this.interventions.count('user_shed', operations.length - count);
    const refused = new BffError('rate_limited', { message: 'too many operations of one user in flight' });
    if (count === 0) return operations.map(() => refused);
    try {
      const outcomes = await work(operations.slice(0, count));
      return operations.map((_, index) => outcomes[index] ?? refused);
    } finally {
      this.inFlight.release(user, count);
    }
  }

  /** Sends the operations with the token of their credential. */
  private runTogether(
    operations: readonly Operation[],
    context: RequestContext,
    cancellation: Cancellation,
  ): Promise<Outcome[]> {
    const sending = new Sending(operations, context, cancellation, this.upstream, this.interventions);
    return useToken(operations[0]!.credential, context, sending);
  }

  /**
   * An array waits for the slowest of its items. When half of its time has passed, each query is also asked alone, so
   * that one which hangs does not hold back the others.
   */
  private async runArray(operations: readonly Operation[], context: RequestContext): Promise<Outcome[]> {
    const cancellation = context.cancellation.child();
    const whole = this.runTogether(operations, context, cancellation);
    const queries = operations.filter(({ type }) => type === 'query');
    const halfMs = Math.max(0, context.deadline - performance.now()) / 2;
    const isLate = (await within(halfMs, whole)) === LATE;
    if (!isLate || queries.length === 0 || !this.upstream.spendRetry()) return whole;
    this.interventions.count('split');
    const apart = context.cancellation.child();
    const asked = this.runEach(queries, context, apart, this.runCounted);
    const alone = asked.catch(() => queries.map(() => undefined)); // then only the array counts
    const first = await Promise.race([whole, alone]);
    if (first.length === operations.length && first.every(isResult)) {
      cancellation.cancel();
      apart.cancel();
      whole.catch(() => undefined);
      return first;
    }
    const outcomes = await whole;
    const others = await alone;
    return outcomes.map((outcome, index) =>
      isResult(outcome) ? outcome : (others[queries.indexOf(operations[index]!)] ?? outcome),
    );
  }

  private async runEach(
    operations: readonly Operation[],
    context: RequestContext,
    cancellation: Cancellation,
    runOne: RunOne,
  ): Promise<Outcome[]> {
    await operations[0]!.credential.get(context);
    const outcomes = new Array<Outcome>(operations.length);
    const waiting = [...operations.entries()];
    const take = (type: Operation['type']): [number, Operation] | undefined => {
      const next = waiting.findIndex(([, operation]) => operation.type === type);
      return next < 0 ? undefined : waiting.splice(next, 1)[0];
    };
    const work = async (type: Operation['type']): Promise<void> => {
      for (let next = take(type); next; next = take(type)) {
        outcomes[next[0]] = await asOutcome(runOne(next[1], context, cancellation));
      }
    };
    const hasMutations = operations.some(({ type }) => type === 'mutation');
    const readers = FANOUT_CALLS_MAX - (hasMutations ? 1 : 0);
    await Promise.all([work('mutation'), ...Array.from({ length: readers }, () => work('query'))]);
    return outcomes;
  }
}

/** Operations that are sent together; those that failed because of the token alone are sent again. */
class Sending implements TokenUse<Outcome[], string | undefined> {
  constructor(
    private readonly operations: readonly Operation[],
    private readonly context: RequestContext,
    private readonly cancellation: Cancellation,
    private readonly upstream: GraphqlUpstream,
    private readonly interventions: Interventions,
  ) {}

  send(token: string | undefined, refused?: Outcome[]): Promise<Outcome[]> {
    return refused ? this.sendAgain(token, refused) : this.dispatch(this.operations, token);
  }

  isRefused(outcomes: Outcome[]): boolean {
    return this.operations.some((operation, index) => mayRenew(operation, outcomes[index]!));
  }

  unsent(error: BffError, refused: Outcome[]): Outcome[] {
    return this.operations.map((operation, index) =>
      mayRenew(operation, refused[index]!) ? error : refused[index]!,
    );
  }

  private async sendAgain(token: string | undefined, refused: Outcome[]): Promise<Outcome[]> {
    const failed = this.operations.filter((operation, index) => mayRenew(operation, refused[index]!));
    this.interventions.count('renewed', failed.length);
    const again = await this.dispatch(failed, token);
    return this.operations.map((operation, index) => again[failed.indexOf(operation)] ?? refused[index]!);
  }

  /** Nothing is sent for a caller who has disconnected; what is on its way is cancelled, unless it may change data. */
  private dispatch(operations: readonly Operation[], token: string | undefined): Promise<Outcome[]> {
    const { cancellation, context } = this;
    if (cancellation.cancelled) return Promise.reject(new UpstreamFault('aborted', false));
    const isHarmless = operations.every(({ type }) => type === 'query');
    return this.upstream.send(operations, token, context, isHarmless ? cancellation : undefined);
  }
}

/** The outcome of a single operation, also when there was no token for it. */
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
