import { Inject, Injectable } from '@nestjs/common';
import { UserBudget } from '../../concurrency/user-budget.js';
import { Default } from '../../config/default.js';
import { CONFIG, type Config } from '../../config/load-config.js';
import { BffError } from '../../errors/bff-error.js';
import type { Member } from '../../http/end-user.js';
import { ExchangeFault, type IncomingAnswer } from '../../http/outgoing/exchange.js';
import type { RequestContext } from '../../http/request-context.js';
import type { CallReports } from '../../telemetry/conditions/call-condition.js';
import { Conditions } from '../../telemetry/conditions/conditions.js';
import { RollingCounts } from '../../telemetry/conditions/rolling-counts.js';
import { Metrics } from '../../telemetry/metrics.js';
import { BrowserTokens, noteToken, type BrowserToken } from '../../token/browser-tokens.js';
import { PartnerTokens } from '../../token/partner-tokens.js';
import type { TokenSource } from '../../token/token-renewal.js';
import { GraphqlEndpoint, graphqlHeaders } from '../../upstream/graphql-endpoint.js';
import { fromFault, fromRefusal, RATE_LIMITED, REFUSAL_CODES } from '../../upstream/upstream-error.js';
import { Interventions } from '../interventions.js';
import { LateCheck } from '../late-check.js';
import type { Operation } from '../operation.js';
import { CircuitBreaker, type CallOutcome } from './circuit-breaker.js';
import {
  answerBytesMax,
  mayRenew,
  readOutcomes,
  refusesToken,
  TokenRefused,
  type AnswerLimits,
  type GraphqlResult,
  type Outcome,
} from './graphql-result.js';
import { pause, Retries } from './retries.js';

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
type RunnerSettings = Pick<Config, 'UPSTREAM_BATCHING' | 'USER_IN_FLIGHT_MAX' | 'UPSTREAM_IN_FLIGHT_MAX'> &
  AnswerLimits;

/**
 * Takes operations that use the same token upstream, for the member of the context: a single one as it is, several as one
 * array (interface 4.4) or one by one (`UPSTREAM_BATCHING`). What is in flight is bounded for the user and for all, and
 * nothing is sent while the upstream fails for most users. Queries that cannot have been answered are sent once more, and
 * what failed because of the token is too, with another one. When the caller disconnects, nothing more is sent, and a
 * call of queries alone is cancelled; one with a mutation in it is left to finish.
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
    @Inject(BrowserTokens) private readonly browserTokens: Pick<BrowserTokens, 'get' | 'replace'>,
    @Inject(PartnerTokens) private readonly partnerTokens: TokenSource,
    @Inject(LateCheck) private readonly lateCheck: Pick<LateCheck, 'refusals'>,
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
   * An outcome for each operation, in order; `unavailable`, `rate_limited`, `upstream_error` or `upstream_timeout` stands
   * for each of a call that failed as a whole.
   * @throws BffError when there is no token, or the caller is no member any more: nothing was sent
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
    const user = context.member?.userId ?? STRANGERS;
    const count = this.users.takeUpTo(user, operations.length);
    if (count === 0) return this.shed(operations.length);
    const sent = count === operations.length ? operations : operations.slice(0, count);
    try {
      const held = this.tokenFor(sent[0]!, context);
      const token = held instanceof Promise ? await held : held;
      let outcomes = await this.call(sent, token, context);
      if (token !== undefined && outcomes.some(refusesToken)) {
        outcomes = await this.renew(sent, outcomes, token, context);
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
    context: RequestContext,
  ): Promise<Outcome[]> {
    const tokens = operations[0]!.token === 'partner' ? this.partnerTokens : undefined;
    const isReplaced = tokens
      ? await tokens.replace(token, context)
      : await this.browserTokens.replace(context.member!, token);
    const again = operations.filter((operation, index) => mayRenew(operation, outcomes[index]!));
    if (!isReplaced || again.length === 0) return outcomes;
    let repeated: Outcome[];
    try {
      const fresh = await this.tokenFor(operations[0]!, context);
      this.interventions.count('renewed', again.length);
      repeated = await this.call(again, fresh, context);
    } catch (error) {
      repeated = again.map(() => asOutcome(error)[0]);
    }
    return operations.map((operation, index) => repeated[again.indexOf(operation)] ?? outcomes[index]!);
  }

  /** Synchronously when the token is in memory; undefined where none is used. */
  private tokenFor({ token }: Operation, context: RequestContext): string | undefined | Promise<string> {
    if (token === 'none') return undefined;
    const found = token === 'partner' ? this.partnerTokens.get(context) : this.browserTokenFor(context);
    context.hasWaited ||= found instanceof Promise;
    return found;
  }

  private browserTokenFor(context: RequestContext): string | Promise<string> {
    const member = context.member!;
    const held = this.browserTokens.get(member, context);
    return held instanceof Promise
      ? held.then((late) => noteOnce(late, member, context))
      : noteOnce(held, member, context);
  }

  /**
   * One call of all operations that are still the member's, and another one if it cannot have been answered. Nothing is
   * sent for a caller who has disconnected.
   */
  private async call(
    operations: readonly Operation[],
    token: string | undefined,
    context: RequestContext,
    isRepeated = false,
  ): Promise<Outcome[]> {
    const judged = this.lateCheck.refusals(operations, context);
    const refusals = judged instanceof Promise ? await judged : judged;
    if (context.cancellation.cancelled) throw new ExchangeFault('aborted');
    if (refusals.some((refusal) => refusal)) {
      const allowed = operations.filter((_, place) => !refusals[place]);
      const sent = allowed.length > 0 ? await this.call(allowed, token, context, isRepeated) : [];
      return operations.map((operation, place) => refusals[place] ?? sent[allowed.indexOf(operation)]!);
    }
    const voter = context.member?.isMachine ? MACHINES : (context.member?.userId ?? STRANGERS);
    const refused = this.refuse(voter);
    if (refused) return operations.map(() => refused);
    const epoch = this.breaker.enter(voter);
    this.inFlight += 1;
    let health: CallOutcome = 'unknown';
    let pauseMs: number | undefined;
    try {
      const isRead = operations.every(({ type }) => type === 'query');
      if (!isRepeated) this.retries.earn();
      const answer = await this.exchange(operations, token, isRead, context);
      const isWhole = !(answer instanceof ExchangeFault);
      const read = isWhole ? readOutcomes(answer, operations, this.config) : undefined;
      const outcomes = read instanceof Promise ? await read : read;
      const mayRepeat = isRead && !isRepeated && !outcomes;
      pauseMs = mayRepeat ? this.retries.spend(answer, context.deadline) : undefined;
      if (pauseMs === undefined) {
        if (isWhole) this.report(outcomes, answer);
        health = outcomes ? 'succeeded' : healthOf(answer);
        if (outcomes) return outcomes;
        const failure = failureOf(answer);
        return operations.map(() => failure);
      }
    } finally {
      this.inFlight -= 1;
      this.breaker.leave(voter, epoch, health);
    }
    this.interventions.count('retried');
    await pause(pauseMs, context.cancellation);
    return this.call(operations, token, context, true);
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

  /** @throws ExchangeFault of kind `aborted` */
  private async exchange(
    operations: readonly Operation[],
    token: string | undefined,
    isRead: boolean,
    context: RequestContext,
  ): Promise<IncomingAnswer | ExchangeFault> {
    const body = operations.length === 1 ? operations[0]!.bytes : joinBodies(operations);
    const headers = graphqlHeaders(token, context.acceptLanguage);
    const bodyBytesMax = answerBytesMax(operations, this.config);
    const timeoutMs = Math.max(1, context.deadline - performance.now());
    const cancellation = isRead ? context.cancellation : undefined;
    try {
      return await this.endpoint.send(body, headers, { bodyBytesMax, timeoutMs, cancellation }, context);
    } catch (error) {
      if (error instanceof ExchangeFault && error.kind !== 'aborted') return error;
      throw error;
    }
  }

  /** What an answer holds, which its status does not tell. */
  private report(outcomes: readonly Outcome[] | undefined, { status }: IncomingAnswer): void {
    if (outcomes) {
      this.answers.succeeded();
      if (outcomes.some(isRateLimited)) this.limits.failed(RATE_LIMITED);
      else this.limits.succeeded();
    } else if (status < 400) {
      this.answers.failed('no GraphQL');
    }
  }
}

function healthOf(answer: IncomingAnswer | ExchangeFault): CallOutcome {
  if (!(answer instanceof ExchangeFault)) return answer.status < 500 ? 'succeeded' : 'failed';
  return answer.kind === 'too_large' || answer.kind === 'forbidden' ? 'unknown' : 'failed';
}

function failureOf(answer: IncomingAnswer | ExchangeFault): BffError {
  if (answer instanceof ExchangeFault) return fromFault(answer);
  return answer.status === 401 ? new TokenRefused() : fromRefusal(answer, 'graphql endpoint');
}

const COMMA = Buffer.from(',');

function joinBodies(operations: readonly Operation[]): Buffer {
  const parts = operations.flatMap(({ bytes }, index) => (index === 0 ? [bytes] : [COMMA, bytes]));
  return Buffer.concat([Buffer.from('['), ...parts, Buffer.from(']')]);
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

function isRateLimited(outcome: Outcome): boolean {
  return !(outcome instanceof BffError) && outcome.errors?.some(({ code }) => code === RATE_LIMITED) === true;
}

/** True if an error of the answer does not only refuse what was asked. */
function isFailure({ errors = [] }: GraphqlResult): boolean {
  return errors.some(({ code }) => code !== undefined && code !== RATE_LIMITED && !REFUSAL_CODES.has(code));
}
