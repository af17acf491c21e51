import { Inject, Injectable } from '@nestjs/common';
import { UserBudget } from '../../concurrency/user-budget.js';
import { CONFIG, type Config } from '../../config/load-config.js';
import { BffError } from '../../errors/bff-error.js';
import type { Cancellation } from '../../http/cancellation.js';
import { ExchangeFault } from '../../http/outgoing/exchange.js';
import type { RequestContext } from '../../http/request-context.js';
import { useToken, type TokenUse } from '../../token/use-token.js';
import { Interventions } from '../interventions.js';
import type { Operation } from '../operation.js';
import { fanOut } from './fan-out.js';
import type { Outcome } from './graphql-result.js';
import { GraphqlUpstream } from './graphql-upstream.js';
import { mayRenew, refusesToken } from './renewal.js';

/** Settings that {@link OperationRunner} reads. */
type RunnerSettings = Pick<Config, 'UPSTREAM_BATCHING' | 'USER_IN_FLIGHT_MAX'>;

/**
 * Takes operations of one credential upstream: a single one as it is, several as one array or one by one
 * (`UPSTREAM_BATCHING`). The steps: what goes upstream counts for its user, and is refused alone beyond `USER_IN_FLIGHT_MAX`; it is sent with a token; what failed because of the token is sent
 * again with another one. Queries run at the same time; mutations sent one by one run in their order. When the caller
 * disconnects, nothing more is sent, and a request of queries alone is cancelled; one with a mutation in it is left to finish.
 */
@Injectable()
export class OperationRunner {
  private readonly inFlight: UserBudget;

  constructor(
    @Inject(GraphqlUpstream) private readonly upstream: Pick<GraphqlUpstream, 'send'>,
    @Inject(Interventions) private readonly interventions: Pick<Interventions, 'count'>,
    @Inject(CONFIG) private readonly config: RunnerSettings,
  ) {
    const perUserMax = config.USER_IN_FLIGHT_MAX;
    this.inFlight = new UserBudget({ perUserMax, totalMax: Infinity, what: 'operations in flight' });
  }

  /**
   * An outcome for each operation, in order.
   * @throws BffError when there is no token, and so nothing was sent
   * @throws ExchangeFault of kind `aborted` when the caller has disconnected
   */
  run(operations: readonly Operation[], context: RequestContext): Promise<Outcome[]> {
    const { cancellation } = context;
    const isFannedOut = operations.length > 1 && this.config.UPSTREAM_BATCHING === 'fanout';
    return isFannedOut
      ? this.runEach(operations, context, cancellation)
      : this.sendCounted(operations, context, cancellation);
  }

  /** Sends as many of the operations as the user may have in flight, and refuses the others. */
  private async sendCounted(
    operations: readonly Operation[],
    context: RequestContext,
    cancellation: Cancellation,
  ): Promise<Outcome[]> {
    const { user } = operations[0]!.credential;
    const count = this.inFlight.takeUpTo(user, operations.length);
    const refused = count < operations.length ? this.refuse(operations.length - count) : undefined;
    if (count === 0) return operations.map(() => refused!);
    try {
      if (!refused) return await this.send(operations, context, cancellation);
      const outcomes = await this.send(operations.slice(0, count), context, cancellation);
      return operations.map((_, index) => outcomes[index] ?? refused);
    } finally {
      this.inFlight.release(user, count);
    }
  }

  /** One error for all that are refused: making one records a stack. */
  private refuse(count: number): BffError {
    this.interventions.count('user_shed', count);
    return new BffError('rate_limited', { message: 'too many operations of one user in flight' });
  }

  /** Sends with the token of the operations' credential; what failed because of it is sent again with another one. */
  private send(
    operations: readonly Operation[],
    context: RequestContext,
    cancellation: Cancellation,
  ): Promise<Outcome[]> {
    const sending = new Sending(operations, context, cancellation, this.upstream, this.interventions);
    return useToken(operations[0]!.credential, context, sending);
  }

  private async runEach(
    operations: readonly Operation[],
    context: RequestContext,
    cancellation: Cancellation,
  ): Promise<Outcome[]> {
    await operations[0]!.credential.get(context); // without a token, nothing is sent
    return fanOut(operations, (operation) => this.sendCounted([operation], context, cancellation));
  }
}

/** Operations that are sent together; those that failed because of the token alone are sent again. */
class Sending implements TokenUse<Outcome[], string | undefined> {
  /** Those that are sent again with another token; to find them, a whole answer may have to be parsed. */
  private readonly refused: Operation[] = [];

  constructor(
    private readonly operations: readonly Operation[],
    private readonly context: RequestContext,
    private readonly cancellation: Cancellation,
    private readonly upstream: Pick<GraphqlUpstream, 'send'>,
    private readonly interventions: Pick<Interventions, 'count'>,
  ) {}

  send(token: string | undefined, refused?: Outcome[]): Promise<Outcome[]> {
    return refused ? this.sendAgain(token, refused) : this.dispatch(this.operations, token);
  }

  isRefused(outcomes: Outcome[]): boolean {
    for (const outcome of outcomes) if (refusesToken(outcome)) return true;
    return false;
  }

  mayRepeat(outcomes: Outcome[]): boolean {
    for (let index = 0; index < outcomes.length; index += 1) {
      const operation = this.operations[index]!;
      if (mayRenew(operation, outcomes[index]!)) this.refused.push(operation);
    }
    return this.refused.length > 0;
  }

  unsent(error: BffError, outcomes: Outcome[]): Outcome[] {
    return this.operations.map((operation, index) =>
      this.refused.includes(operation) ? error : outcomes[index]!,
    );
  }

  private async sendAgain(token: string | undefined, outcomes: Outcome[]): Promise<Outcome[]> {
    const { refused } = this;
    this.interventions.count('renewed', refused.length);
    const again = await this.dispatch(refused, token);
    return this.operations.map((operation, index) => again[refused.indexOf(operation)] ?? outcomes[index]!);
  }

  /** Nothing is sent for a caller who has disconnected; what is on its way is cancelled, unless it may change data. */
  private dispatch(operations: readonly Operation[], token: string | undefined): Promise<Outcome[]> {
    const { cancellation, context } = this;
    if (cancellation.cancelled) return Promise.reject(new ExchangeFault('aborted', false));
    const isHarmless = operations.every(({ type }) => type === 'query');
    return this.upstream.send(operations, token, context, isHarmless ? cancellation : undefined);
  }
}
