import { Inject, Injectable } from '@nestjs/common';
import { Default } from '../../config/default.js';
import { CONFIG, type Config } from '../../config/load-config.js';
import { BffError } from '../../errors/bff-error.js';
import type { Cancellation } from '../../http/cancellation.js';
import { ExchangeFault, type IncomingAnswer } from '../../http/outgoing/exchange.js';
import { retryAfterSeconds } from '../../http/header-values.js';
import type { RequestContext } from '../../http/request-context.js';
import type { CallReports } from '../../telemetry/conditions/call-condition.js';
import { Conditions } from '../../telemetry/conditions/conditions.js';
import { Metrics } from '../../telemetry/metrics.js';
import { GraphqlEndpoint, graphqlHeaders } from '../../upstream/graphql-endpoint.js';
import { fromFault, fromRefusal, RATE_LIMITED } from '../../upstream/upstream-error.js';
import { Interventions } from '../interventions.js';
import { LateCheck } from '../late-check.js';
import type { Operation } from '../operation.js';
import { CircuitBreaker, type CallOutcome } from './circuit-breaker.js';
import {
  TokenRefused,
  answerBytesMax,
  isGraphql,
  readOutcomes,
  type AnswerLimits,
  type Outcome,
} from './graphql-result.js';

const RETRY_MS_MIN = 25;
const RETRY_MS_MAX = 250;
const CREDITS_MAX = 10;
const CREDIT = 0.1;

/** Settings that {@link UpstreamCalls} reads. */
type CallSettings = Pick<Config, 'UPSTREAM_IN_FLIGHT_MAX'> & AnswerLimits;

/**
 * Single calls of the GraphQL endpoint: bounded in number, none while the upstream fails for most users, queries made
 * again where that is safe.
 */
@Injectable()
export class UpstreamCalls {
  private inFlight = 0;
  private readonly retries: Retries;
  private readonly breaker: CircuitBreaker;
  private readonly answers: CallReports;
  private readonly limits: CallReports;

  constructor(
    @Inject(GraphqlEndpoint) private readonly endpoint: Pick<GraphqlEndpoint, 'send'>,
    @Inject(LateCheck) private readonly lateCheck: Pick<LateCheck, 'refusals'>,
    @Inject(Interventions) private readonly interventions: Pick<Interventions, 'count'>,
    @Inject(CONFIG) private readonly config: CallSettings,
    metrics: Metrics,
    conditions: Conditions,
    @Default() random: () => number = Math.random,
    @Default() now: () => number = () => performance.now(),
  ) {
    this.retries = new Retries(random);
    this.breaker = new CircuitBreaker(now);
    metrics.circuit('graphql', () => this.breaker.isOpen);
    this.answers = conditions.calls('upstream-failing', 'graphql answers');
    this.limits = conditions.calls('upstream-rate-limited', 'graphql answers');
  }

  /**
   * One call of all operations; `unavailable`, `rate_limited`, `upstream_error` or `upstream_timeout` stands for each of
   * them when it failed as a whole. Nothing is sent for a caller who has disconnected, or whose membership ended during a
   * wait.
   * @param voter whose vote it is when the calls of most users fail
   * @throws BffError for an operation that is not the member's any more
   * @throws ExchangeFault of kind `aborted` when the caller has disconnected
   */
  async call(
    operations: readonly Operation[],
    token: string | undefined,
    voter: string,
    context: RequestContext,
  ): Promise<Outcome[]> {
    await this.confirm(operations, context);
    const refused = this.refuse(voter);
    if (refused) return operations.map(() => refused);
    const epoch = this.breaker.enter(voter);
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
      this.breaker.leave(voter, epoch, health);
    }
  }

  /** @throws as {@link call}, where nothing may be sent any more */
  private async confirm(operations: readonly Operation[], context: RequestContext): Promise<void> {
    for (const refusal of await this.lateCheck.refusals(operations, context)) if (refusal) throw refusal;
    if (context.cancellation.cancelled) throw new ExchangeFault('aborted');
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
      await this.confirm(operations, context);
      return attempt();
    }
    if (failed instanceof ExchangeFault) throw failed;
    return failed;
  }
}

/** When a call is made again, and how often: further calls are at most a tenth of all, and ten after a quiet time. */
export class Retries {
  private credits = CREDITS_MAX;

  constructor(private readonly random: () => number) {}

  /** A first call is made. */
  earn(): void {
    this.credits = Math.min(CREDITS_MAX, this.credits + CREDIT);
  }

  /**
   * Takes a credit and returns the milliseconds to wait before queries are sent again; undefined when they are not. Only a
   * call that cannot have been answered is made again: never after a timeout, never after the first byte.
   */
  spend(failed: IncomingAnswer | ExchangeFault, deadline: number): number | undefined {
    if (this.credits < 1 || !mayPass(failed)) return undefined;
    const ownMs = RETRY_MS_MIN + (RETRY_MS_MAX - RETRY_MS_MIN) * this.random();
    const asked = failed instanceof ExchangeFault ? undefined : failed.headers['retry-after'];
    const pauseMs = Math.max(ownMs, (retryAfterSeconds(asked, Date.now()) ?? 0) * 1000);
    if (performance.now() + pauseMs >= deadline) return undefined;
    this.credits -= 1;
    return pauseMs;
  }
}

function mayPass(failed: IncomingAnswer | ExchangeFault): boolean {
  if (failed instanceof ExchangeFault) return failed.kind === 'connection' && failed.status === 0;
  return (failed.status === 502 || failed.status === 503) && !isGraphql(failed);
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
