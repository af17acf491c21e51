import { Inject, Injectable } from '@nestjs/common';
import { UserBudget } from '../../concurrency/user-budget.js';
import { Default } from '../../config/default.js';
import { CONFIG, type Config } from '../../config/load-config.js';
import { BffError } from '../../errors/bff-error.js';
import type { Cancellation } from '../../http/cancellation.js';
import { ExchangeFault, type IncomingAnswer } from '../../http/outgoing/exchange.js';
import type { RequestContext } from '../../http/request-context.js';
import type { CallReports } from '../../telemetry/conditions/call-condition.js';
import { Conditions } from '../../telemetry/conditions/conditions.js';
import { RollingCounts } from '../../telemetry/conditions/rolling-counts.js';
import { Metrics } from '../../telemetry/metrics.js';
import { GraphqlEndpoint, graphqlHeaders } from '../../upstream/graphql-endpoint.js';
import { fromFault, fromRefusal, RATE_LIMITED, REFUSAL_CODES } from '../../upstream/upstream-error.js';
import { Interventions } from '../interventions.js';
import type { Operation } from '../operation.js';
import { CircuitBreaker, type CallOutcome } from './circuit-breaker.js';
import {
  TokenRefused,
  answerBytesMax,
  mayRenew,
  readOutcomes,
  refusesToken,
  type AnswerLimits,
  type GraphqlResult,
  type Outcome,
} from './graphql-result.js';
import { Retries } from './retries.js';

/** Calls of an array that is sent one by one. */
const CALLS_MAX = 5;
const MINUTE_MS = 60_000;
/** Answers of a minute that must be errors of the upstream's own. */
const FAILURES_MIN = 10;

/** Settings that {@link OperationRunner} reads. */
type RunnerSettings = Pick<Config, 'UPSTREAM_BATCHING' | 'USER_IN_FLIGHT_MAX' | 'UPSTREAM_IN_FLIGHT_MAX'> &
  AnswerLimits;

/**
 * Takes operations of one credential upstream: a single one as it is, several as one array (interface 4.4) or one by one
 * (`UPSTREAM_BATCHING`). What is in flight is bounded for the user and for all, nothing is sent while the upstream
 * fails, queries are sent once more where that is safe, and what failed because of the token once more with another one.
 * When the caller disconnects, nothing more is sent, and a call of queries alone is cancelled; one with a mutation in it
 * is left to finish.
 */
@Injectable()
export class OperationRunner {
  private readonly users: UserBudget;
  private inFlight = 0;
  private readonly retries: Retries;
  private readonly breaker: CircuitBreaker;
  private readonly answers: CallReports;
  private readonly limits: CallReports;
  /** Whole answers, of which those are bad that no status tells from others. */
  private readonly recent = new RollingCounts(MINUTE_MS);

  constructor(
    @Inject(GraphqlEndpoint) private readonly endpoint: Pick<GraphqlEndpoint, 'send'>,
    @Inject(Interventions) private readonly interventions: Pick<Interventions, 'count'>,
    @Inject(CONFIG) private readonly config: RunnerSettings,
    metrics: Metrics,
    conditions: Conditions,
    @Default() random: () => number = Math.random,
    @Default() now: () => number = () => performance.now(),
  ) {
    const perUserMax = config.USER_IN_FLIGHT_MAX;
    this.users = new UserBudget({ perUserMax, totalMax: Infinity, what: 'operations in flight' });
    this.retries = new Retries(random);
    this.breaker = new CircuitBreaker(now);
    metrics.circuit('graphql', () => this.breaker.isOpen);
    this.answers = conditions.calls('upstream-failing', 'graphql answers');
    this.limits = conditions.calls('upstream-rate-limited', 'graphql answers');
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
    await operations[0]!.credential.get(context); // without a token, nothing is sent
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
    const { credential } = operations[0]!;
    const count = this.users.takeUpTo(credential.user, operations.length);
    const sent = count === operations.length ? operations : operations.slice(0, count);
    try {
      const outcomes = count === 0 ? [] : await this.send(sent, context);
      for (const outcome of outcomes) if (!(outcome instanceof BffError)) this.recent.add(isFailure(outcome));
      return sent === operations ? outcomes : [...outcomes, ...this.shed(operations.length - count)];
    } finally {
      this.users.release(credential.user, count);
    }
  }

  /** One error for all that are refused: making one records a stack. */
  private shed(count: number): Outcome[] {
    this.interventions.count('user_shed', count);
    const error = new BffError('rate_limited', { message: 'too many operations of one user in flight' });
    return new Array<Outcome>(count).fill(error);
  }

  /** Sends with the token of the credential; what failed because of it is sent once more with another one. */
  private async send(operations: readonly Operation[], context: RequestContext): Promise<Outcome[]> {
    const { credential } = operations[0]!;
    const held = credential.get(context);
    const token = held instanceof Promise ? await held : held;
    const outcomes = await this.call(operations, token, context);
    if (token === undefined || !outcomes.some(refusesToken)) return outcomes;
    if (!(await credential.replace(token, context))) return outcomes;
    const again = operations.filter((operation, index) => mayRenew(operation, outcomes[index]!));
    if (again.length === 0) return outcomes;
    let repeated: Outcome[];
    try {
      const fresh = await credential.get(context);
      this.interventions.count('renewed', again.length);
      repeated = await this.call(again, fresh, context);
    } catch (error) {
      repeated = again.map(() => asOutcome(error)[0]);
    }
    return operations.map((operation, index) => repeated[again.indexOf(operation)] ?? outcomes[index]!);
  }

  /**
   * One call of all; `unavailable`, `rate_limited`, `upstream_error` or `upstream_timeout` stands for each of them when it
   * failed as a whole. Nothing is sent for a caller who has disconnected, or whose membership ended during a wait.
   */
  private async call(
    operations: readonly Operation[],
    token: string | undefined,
    context: RequestContext,
  ): Promise<Outcome[]> {
    if (context.waitedMs > 0) await context.confirm?.(operations.map(({ index }) => index));
    if (context.cancellation.cancelled) throw new ExchangeFault('aborted', false);
    const { voter } = operations[0]!.credential;
    const refused = this.refuse(voter);
    if (refused) return operations.map(() => refused);
    const settle = this.breaker.enter(voter);
    this.inFlight += 1;
    let health: CallOutcome = 'unknown';
    try {
      const answer = await this.exchange(operations, token, context);
      const read = readOutcomes(answer, operations, this.config);
      const outcomes = read instanceof Promise ? await read : read;
      health = outcomes || answer.status < 500 ? 'succeeded' : 'failed';
      this.judge(outcomes, answer);
      if (outcomes) return outcomes;
      const failure = answer.status === 401 ? new TokenRefused() : fromRefusal(answer, 'graphql endpoint');
      return operations.map(() => failure);
    } catch (error) {
      if (!(error instanceof ExchangeFault) || error.kind === 'aborted') throw error;
      health = error.kind === 'too_large' || error.kind === 'forbidden' ? 'unknown' : 'failed';
      const failure = fromFault(error);
      return operations.map(() => failure);
    } finally {
      this.inFlight -= 1;
      settle(health);
    }
  }

  private refuse(voter: string): BffError | undefined {
    const waitMs = this.breaker.waitMs(voter);
    const hasRoom = this.inFlight < this.config.UPSTREAM_IN_FLIGHT_MAX;
    if (waitMs === 0 && hasRoom) return undefined;
    const kind = waitMs > 0 ? 'circuit_open' : 'shed';
    this.interventions.count(kind);
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    return new BffError('unavailable', { message: `not sent upstream: ${kind}`, retryAfterSeconds });
  }

  /** What an answer holds, which its status does not tell. */
  private judge(outcomes: readonly Outcome[] | undefined, { status }: IncomingAnswer): void {
    if (!outcomes) {
      if (status < 400) this.answers.failed('no GraphQL');
      return;
    }
    this.answers.succeeded();
    if (outcomes.some(isRateLimited)) this.limits.failed(RATE_LIMITED);
    else this.limits.succeeded();
  }

  /** Queries are sent once more if the first attempt cannot have been answered. */
  private async exchange(
    operations: readonly Operation[],
    token: string | undefined,
    context: RequestContext,
  ): Promise<IncomingAnswer> {
    const body = operations.length === 1 ? operations[0]!.bytes : joinBodies(operations);
    const cancellation = operations.every(({ type }) => type === 'query') ? context.cancellation : undefined;
    const bodyBytesMax = answerBytesMax(operations, this.config);
    const attempt = (): Promise<IncomingAnswer> => {
      const headers = graphqlHeaders(token, context.acceptLanguage);
      const timeoutMs = Math.max(1, context.deadline - performance.now());
      return this.endpoint.send(body, headers, { bodyBytesMax, timeoutMs, cancellation }, context);
    };
    this.retries.earn();
    if (!cancellation) return attempt();
    let failed: IncomingAnswer | ExchangeFault;
    try {
      failed = await attempt();
      if (failed.status < 500) return failed;
    } catch (error) {
      if (!(error instanceof ExchangeFault)) throw error;
      failed = error;
    }
    const pauseMs = this.retries.spend(failed, context.deadline);
    if (pauseMs !== undefined) {
      this.interventions.count('retried');
      await pause(pauseMs, cancellation);
      return attempt();
    }
    if (failed instanceof ExchangeFault) throw failed;
    return failed;
  }
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

function isRateLimited(outcome: Outcome): boolean {
  return !(outcome instanceof BffError) && outcome.errors?.some(({ code }) => code === RATE_LIMITED) === true;
}

const COMMA = Buffer.from(',');

function joinBodies(operations: readonly Operation[]): Buffer {
  const parts = operations.flatMap(({ bytes }, index) => (index === 0 ? [bytes] : [COMMA, bytes]));
  return Buffer.concat([Buffer.from('['), ...parts, Buffer.from(']')]);
}

/** Ends early when it is cancelled. */
function pause(ms: number, cancellation: Cancellation): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      cancellation.offCancel(end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    cancellation.onCancel(end);
  });
}
