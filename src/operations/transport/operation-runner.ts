import { Inject, Injectable } from '@nestjs/common';
import { UserBudget } from '../../concurrency/user-budget.js';
import { CONFIG, type Config } from '../../config/load-config.js';
import { BffError } from '../../errors/bff-error.js';
import type { Member } from '../../http/end-user.js';
import type { RequestContext } from '../../http/request-context.js';
import { Conditions } from '../../telemetry/conditions/conditions.js';
import { RollingCounts } from '../../telemetry/conditions/rolling-counts.js';
import { BrowserTokens, noteToken, type BrowserToken } from '../../token/browser-tokens.js';
import { PartnerTokens } from '../../token/partner-tokens.js';
import type { TokenSource } from '../../token/token-renewal.js';
import { RATE_LIMITED, REFUSAL_CODES } from '../../upstream/upstream-error.js';
import { Interventions } from '../interventions.js';
import type { Operation } from '../operation.js';
import { mayRenew, refusesToken, type GraphqlResult, type Outcome } from './graphql-result.js';
import { UpstreamCalls } from './upstream-calls.js';

/** Calls of an array that is sent one by one. */
const CALLS_MAX = 5;
const MINUTE_MS = 60_000;
/** Answers of a minute that must be errors of the upstream's own. */
const FAILURES_MIN = 10;
/** Callers without a user count as one: their number is unknown. */
const STRANGERS = 'strangers';
/** Machines and deliveries have one vote together. */
const MACHINES = 'machines';

/** Settings that {@link OperationRunner} reads. */
type RunnerSettings = Pick<Config, 'UPSTREAM_BATCHING' | 'USER_IN_FLIGHT_MAX'>;

/**
 * Takes operations that use the same token upstream, for the member of the context: a single one as it is, several as one
 * array (interface 4.4) or one by one (`UPSTREAM_BATCHING`). What is in flight is bounded for the user, and what failed
 * because of the token is sent once more with another one. When the caller disconnects, nothing more is sent, and a call
 * of queries alone is cancelled; one with a mutation in it is left to finish.
 */
@Injectable()
export class OperationRunner {
  private readonly users: UserBudget;
  /** Whole answers, of which those are bad that no status tells from others. */
  private readonly recent = new RollingCounts(MINUTE_MS);

  constructor(
    private readonly calls: UpstreamCalls,
    @Inject(BrowserTokens) private readonly browserTokens: Pick<BrowserTokens, 'get' | 'replace'>,
    @Inject(PartnerTokens) private readonly partnerTokens: TokenSource,
    @Inject(Interventions) private readonly interventions: Pick<Interventions, 'count'>,
    @Inject(CONFIG) private readonly config: RunnerSettings,
    conditions: Conditions,
  ) {
    const perUserMax = config.USER_IN_FLIGHT_MAX;
    this.users = new UserBudget({ perUserMax, totalMax: Infinity, what: 'operations in flight' });
    conditions.figure('upstream-failing', () => {
      const { all, bad } = this.recent.read();
      const mostFail = bad >= FAILURES_MIN && bad * 2 > all;
      return mostFail ? `${bad} of ${all} answers are errors of its own` : undefined;
    });
  }

  /**
   * An outcome for each operation, in order.
   * @throws BffError when there is no token, and so nothing was sent
   * @throws ExchangeFault of kind `aborted` when the caller has disconnected
   */
  run(operations: readonly Operation[], context: RequestContext): Promise<Outcome[]> {
    const isFannedOut = operations.length > 1 && this.config.UPSTREAM_BATCHING === 'fanout';
    return isFannedOut ? this.runEach(operations, context) : this.runTogether(operations, context);
  }

  /** Five at a time: mutations in their order, queries beside them. */
  private async runEach(operations: readonly Operation[], context: RequestContext): Promise<Outcome[]> {
    await this.tokenFor(operations[0]!, context); // without a token, nothing is sent
    const outcomes = new Array<Outcome>(operations.length);
    const work = async (waiting: Operation[]): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const [outcome] = await this.runTogether([next], context).catch(asOutcome);
        outcomes[operations.indexOf(next)] = outcome!;
      }
    };
    const { mutation = [], query = [] } = Object.groupBy(operations, ({ type }) => type);
    const readers = CALLS_MAX - (mutation.length > 0 ? 1 : 0);
    await Promise.all([work(mutation), ...Array.from({ length: readers }, () => work(query))]);
    return outcomes;
  }

  /** Sends as many of the operations as the user may have in flight, and refuses the others. */
  private async runTogether(operations: readonly Operation[], context: RequestContext): Promise<Outcome[]> {
    const { member } = context;
    const user = member?.userId ?? STRANGERS;
    const voter = member?.isMachine ? MACHINES : user;
    const count = this.users.takeUpTo(user, operations.length);
    if (count === 0) return this.shed(operations.length);
    const sent = count === operations.length ? operations : operations.slice(0, count);
    try {
      const held = this.tokenFor(sent[0]!, context);
      const token = held instanceof Promise ? await held : held;
      let outcomes = await this.calls.call(sent, token, voter, context);
      if (token !== undefined && outcomes.some(refusesToken)) {
        outcomes = await this.renew(sent, outcomes, token, voter, context);
      }
      for (const outcome of outcomes) if (!(outcome instanceof BffError)) this.recent.add(isFailure(outcome));
      return sent === operations ? outcomes : [...outcomes, ...this.shed(operations.length - count)];
    } finally {
      this.users.release(user, count);
    }
  }

  /** One error for all that are refused: making one records a stack. */
  private shed(count: number): Outcome[] {
    this.interventions.count('user_shed', count);
    const error = new BffError('rate_limited', { message: 'too many operations of one user in flight' });
    return new Array<Outcome>(count).fill(error);
  }

  /** Replaces a token that was refused, and sends what failed because of it once more with another one. */
  private async renew(
    operations: readonly Operation[],
    outcomes: Outcome[],
    token: string,
    voter: string,
    context: RequestContext,
  ): Promise<Outcome[]> {
    if (!(await this.replace(token, operations[0]!, context))) return outcomes;
    const again = operations.filter((operation, index) => mayRenew(operation, outcomes[index]!));
    if (again.length === 0) return outcomes;
    let repeated: Outcome[];
    try {
      const fresh = await this.tokenFor(operations[0]!, context);
      this.interventions.count('renewed', again.length);
      repeated = await this.calls.call(again, fresh, voter, context);
    } catch (error) {
      repeated = again.map(() => asOutcome(error)[0]);
    }
    return operations.map((operation, index) => repeated[again.indexOf(operation)] ?? outcomes[index]!);
  }

  /** Synchronously when the token is in memory; undefined where none is used. */
  private tokenFor({ token }: Operation, context: RequestContext): string | undefined | Promise<string> {
    if (token === 'none') return undefined;
    const found = context.stage('token', () => {
      if (token === 'partner') return this.partnerTokens.get(context);
      const member = context.member!;
      const held = this.browserTokens.get(member, context);
      return held instanceof Promise
        ? held.then((late) => noteOnce(late, member, context))
        : noteOnce(held, member, context);
    });
    context.hasWaited ||= found instanceof Promise;
    return found;
  }

  /** True if another token may be had. */
  private replace(refused: string, { token }: Operation, context: RequestContext): Promise<boolean> {
    return token === 'partner'
      ? this.partnerTokens.replace(refused, context)
      : this.browserTokens.replace(context.member!, refused);
  }
}

/** The same token again comes from the cache, and is noted as it came first. */
function noteOnce(token: BrowserToken, { scopes }: Member, context: RequestContext): string {
  if (context.notes.tokenHash !== token.tokenHash) noteToken(token, scopes, context);
  return token.accessToken;
}

/** @throws anything but a failure of ours */
function asOutcome(error: unknown): [BffError] {
  if (error instanceof BffError) return [error];
  throw error;
}

/** True if an error of the answer does not only refuse what was asked. */
function isFailure({ errors = [] }: GraphqlResult): boolean {
  return errors.some(({ code }) => code !== undefined && code !== RATE_LIMITED && !REFUSAL_CODES.has(code));
}
