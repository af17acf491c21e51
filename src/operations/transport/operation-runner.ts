import { Inject, Injectable } from '@nestjs/common';
import { UserBudget } from '../../concurrency/user-budget.js';
import { Default } from '../../config/default.js';
import { CONFIG, type Config } from '../../config/load-config.js';
import { BffError } from '../../errors/bff-error.js';
import { MembershipGate } from '../../hirer-access/membership-gate.js';
import { ExchangeFault, type IncomingAnswer } from '../../http/outgoing/exchange.js';
import type { RequestContext } from '../../http/request-context.js';
import { joinElements } from '../../json/slices.js';
import type { CallReports } from '../../telemetry/conditions/call-condition.js';
import { Conditions } from '../../telemetry/conditions/conditions.js';
import { RollingCounts } from '../../telemetry/conditions/rolling-counts.js';
import { BrowserTokens, noteToken } from '../../token/browser-tokens.js';
import { PartnerTokens } from '../../token/partner-tokens.js';
import { STRANGERS } from '../../token/rate-limits.js';
import type { TokenSource } from '../../token/replace-refused-token.js';
import { fromFault, fromRefusal, RATE_LIMITED } from '../../upstream/upstream-answer.js';
import { Upstream } from '../../upstream/upstream.js';
import { refusalsNow, type Operation } from '../operation.js';
import { CircuitBreaker, type CallOutcome } from './circuit-breaker.js';
import {
  answerBytesMax,
  asOutcome,
  hasError,
  isFailure,
  mayRenew,
  readOutcomes,
  refusesToken,
  TokenRefused,
  type AnswerLimits,
  type Outcome,
} from './graphql-result.js';

const MINUTE_MS = 60_000;
/** Answers of a minute that must be errors of the upstream's own. */
const FAILURES_MIN = 10;
/** Machines and deliveries have one vote together. */
const MACHINES = 'machines';

type RunnerSettings = AnswerLimits &
  Pick<Config, 'UPSTREAM_BATCHING' | 'USER_IN_FLIGHT_MAX' | 'UPSTREAM_IN_FLIGHT_MAX'>;

/**
 * Takes operations of one token upstream: a single one as it is, several as one array (interface 4.4) or one by one
 * (`UPSTREAM_BATCHING`). What is in flight is bounded for the user and for all, and nothing is sent while the upstream
 * fails for most users. Queries whose connection broke before any answer are sent once more, and what failed because of
 * the token, with another one. When the caller disconnects, nothing more is sent; a call with a mutation in it is left
 * to finish.
 */
@Injectable()
export class OperationRunner {
  private readonly inFlight: UserBudget;
  private readonly breaker: CircuitBreaker;
  private readonly answers: CallReports;
  private readonly limits: CallReports;
  /** Whole answers, of which those are bad that no status tells from others. */
  private readonly recent = new RollingCounts(MINUTE_MS);

  constructor(
    @Inject(Upstream) private readonly upstream: Pick<Upstream, 'sendGraphql'>,
    @Inject(BrowserTokens) private readonly browserTokens: Pick<BrowserTokens, 'get' | 'replace'>,
    @Inject(PartnerTokens) private readonly partnerTokens: TokenSource,
    @Inject(MembershipGate) private readonly gate: Pick<MembershipGate, 'enter'>,
    @Inject(CONFIG) private readonly config: RunnerSettings,
    conditions: Conditions,
    @Default() now: () => number = () => performance.now(),
  ) {
    this.inFlight = new UserBudget({
      perUserMax: config.USER_IN_FLIGHT_MAX,
      totalMax: config.UPSTREAM_IN_FLIGHT_MAX,
      what: 'operations in flight',
    });
    this.breaker = new CircuitBreaker(now);
    this.answers = conditions.calls('upstream-failing', 'graphql answers');
    this.limits = conditions.calls('upstream-rate-limited', 'graphql answers');
    conditions.figure('upstream-failing', () => {
      const { all, bad } = this.recent.read();
      const mostFail = bad >= FAILURES_MIN && bad * 2 > all;
      return mostFail ? `${bad} of ${all} answers are errors of its own` : undefined;
    });
  }

  /**
   * An outcome for each operation, in order; the failure of a call as a whole stands for each of it.
   * @throws BffError when nothing was sent: there is no token, too much is in flight, the upstream fails for most
   * users, or the caller is no member any more
   * @throws ExchangeFault of kind `aborted` when the caller has disconnected
   */
  async run(operations: readonly Operation[], context: RequestContext): Promise<Outcome[]> {
    const { UPSTREAM_BATCHING, USER_IN_FLIGHT_MAX, UPSTREAM_IN_FLIGHT_MAX } = this.config;
    const user = (context.member ?? STRANGERS).userId;
    const count = Math.min(operations.length, USER_IN_FLIGHT_MAX, UPSTREAM_IN_FLIGHT_MAX);
    this.inFlight.take(user, count); // an array beyond a bound has all of it
    try {
      const token = await this.tokenFor(operations[0]!, context);
      if (operations.length === 1 || UPSTREAM_BATCHING !== 'fanout') {
        return await this.ask(operations, token, context);
      }
      const asked = operations.map((one) =>
        this.ask([one], token, context).catch((error) => [asOutcome(error)]),
      );
      await Promise.allSettled(asked); // what is left to finish holds its place
      return (await Promise.all(asked)).flat();
    } finally {
      this.inFlight.release(user, count);
    }
  }

  private async ask(
    operations: readonly Operation[],
    token: string | undefined,
    context: RequestContext,
  ): Promise<Outcome[]> {
    const first = await this.send(operations, token, context);
    const isRefused = token !== undefined && first.some(refusesToken);
    const outcomes = isRefused ? await this.renew(operations, first, token, context) : first;
    for (const outcome of outcomes) if (!(outcome instanceof BffError)) this.recent.add(isFailure(outcome));
    return outcomes;
  }

  private async renew(
    operations: readonly Operation[],
    outcomes: Outcome[],
    token: string,
    context: RequestContext,
  ): Promise<Outcome[]> {
    const isReplaced =
      operations[0]!.token === 'partner'
        ? await this.partnerTokens.replace(token, context)
        : await this.browserTokens.replace(context.member!, token);
    const again = operations.filter((operation, index) => mayRenew(operation, outcomes[index]!));
    if (!isReplaced || again.length === 0) return outcomes;
    const repeated = await this.tokenFor(again[0]!, context)
      .then((other) => this.send(again, other, context))
      .catch((error: unknown) => again.map(() => asOutcome(error)));
    return operations.map((operation, index) => repeated[again.indexOf(operation)] ?? outcomes[index]!);
  }

  /** Undefined where none is used. A browser token is noted for the audit trail, once. */
  private async tokenFor({ token }: Operation, context: RequestContext): Promise<string | undefined> {
    if (token === 'none') return undefined;
    const member = context.member!;
    const found =
      token === 'partner' ? this.partnerTokens.get(context) : this.browserTokens.get(member, context);
    context.hasWaited ||= found instanceof Promise;
    const held = await found;
    if (typeof held === 'string') return held;
    if (context.notes.tokenHash !== held.tokenHash) noteToken(held, member.scopes, context);
    return held.accessToken;
  }

  /** One call of what is still the member's, and another if its connection broke before any answer. */
  private async send(
    operations: readonly Operation[],
    token: string | undefined,
    context: RequestContext,
    isRepeated = false,
  ): Promise<Outcome[]> {
    const refusals = await refusalsNow(operations, context, this.gate);
    if (context.cancellation.cancelled) throw new ExchangeFault('aborted');
    if (performance.now() >= context.deadline) throw new BffError('upstream_timeout');
    if (refusals.some((refusal) => refusal)) {
      const open = operations.filter((_, place) => !refusals[place]);
      const sent = open.length > 0 ? await this.send(open, token, context, isRepeated) : [];
      return operations.map((one, place) => refusals[place] ?? sent[open.indexOf(one)]!);
    }
    const { userId, isMachine } = context.member ?? STRANGERS;
    const voter = isMachine ? MACHINES : userId;
    const waitMs = isRepeated ? 0 : this.breaker.waitMs(voter); // the call that was admitted, once more
    if (waitMs > 0) {
      const retryAfterSeconds = Math.ceil(waitMs / 1000);
      throw new BffError('unavailable', { message: 'not sent upstream: circuit open', retryAfterSeconds });
    }
    this.breaker.enter(voter);
    let health: CallOutcome = 'unknown';
    try {
      const isRead = operations.every(({ type }) => type === 'query');
      const answer = await this.exchange(operations, token, isRead, context);
      if (answer instanceof ExchangeFault) {
        health = answer.kind === 'too_large' || answer.kind === 'forbidden' ? 'unknown' : 'failed';
        const isUnanswered = answer.kind === 'connection' && answer.status === 0;
        if (isUnanswered && isRead && !isRepeated) return await this.send(operations, token, context, true);
        return forAll(operations, fromFault(answer));
      }
      const outcomes = readOutcomes(answer, operations, this.config);
      health = outcomes || answer.status < 500 ? 'succeeded' : 'failed';
      this.report(outcomes, answer);
      if (outcomes) return outcomes;
      const isRefused = answer.status === 401;
      return forAll(operations, isRefused ? new TokenRefused() : fromRefusal(answer, 'graphql endpoint'));
    } finally {
      this.breaker.leave(voter, health);
    }
  }

  /** @throws ExchangeFault of kind `aborted` */
  private exchange(
    operations: readonly Operation[],
    token: string | undefined,
    isRead: boolean,
    context: RequestContext,
  ): Promise<IncomingAnswer | ExchangeFault> {
    const bodies = operations.map(({ bytes }) => bytes);
    const body = bodies.length === 1 ? bodies[0]! : joinElements(bodies);
    const bodyBytesMax = answerBytesMax(operations, this.config);
    const timeoutMs = context.deadline - performance.now();
    const cancellation = isRead ? context.cancellation : undefined;
    const options = { token, language: context.acceptLanguage, bodyBytesMax, timeoutMs, cancellation };
    return this.upstream.sendGraphql(body, options, context).catch((error: unknown) => {
      if (error instanceof ExchangeFault && error.kind !== 'aborted') return error;
      throw error;
    });
  }

  /** What an answer holds, which its status does not tell. */
  private report(outcomes: readonly Outcome[] | undefined, { status }: IncomingAnswer): void {
    if (outcomes) {
      this.answers.succeeded();
      if (outcomes.some((one) => hasError(one, RATE_LIMITED))) this.limits.failed(RATE_LIMITED);
      else this.limits.succeeded();
    } else if (status < 400) {
      this.answers.failed('no GraphQL');
    }
  }
}

/** One error for all: making one records a stack. */
function forAll(operations: readonly Operation[], error: BffError): Outcome[] {
  return operations.map(() => error);
}
