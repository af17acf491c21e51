import { Inject, Injectable } from '@nestjs/common';
import { Default } from '../../config/default.js';
import { CONFIG, type Config } from '../../config/load-config.js';
import { BffError } from '../../errors/bff-error.js';
import type { Cancellation } from '../../http/cancellation.js';
import { ExchangeFault, type IncomingAnswer } from '../../http/outgoing/exchange.js';
import type { RequestContext } from '../../http/request-context.js';
import type { CallReports } from '../../telemetry/conditions/call-condition.js';
import { Conditions } from '../../telemetry/conditions/conditions.js';
import { Metrics } from '../../telemetry/metrics.js';
import { GraphqlEndpoint, graphqlHeaders } from '../../upstream/graphql-endpoint.js';
import { fromFault, fromRefusal, RATE_LIMITED } from '../../upstream/upstream-error.js';
import { Interventions } from '../interventions.js';
import type { Operation } from '../operation.js';
import { CircuitBreaker, type CallOutcome } from './circuit-breaker.js';
import { readErrors, TokenRefused, type Outcome } from './graphql-result.js';
import { answerBytesMax, readOutcomes, type AnswerLimits } from './read-outcomes.js';
import { Retries } from './retries.js';

/** Settings that {@link GraphqlUpstream} reads. */
type UpstreamSettings = Pick<Config, 'UPSTREAM_IN_FLIGHT_MAX'> & AnswerLimits;

/**
 * The upstream's GraphQL endpoint as the proxy uses it: calls in flight are bounded, none is made while the upstream
 * fails, queries are retried once where that is safe, and an answer that is not GraphQL is an error.
 */
@Injectable()
export class GraphqlUpstream {
  private inFlight = 0;
  private readonly retries: Retries;
  private readonly breaker: CircuitBreaker;
  private readonly answers: CallReports;
  private readonly limits: CallReports;

  constructor(
    private readonly endpoint: GraphqlEndpoint,
    private readonly interventions: Interventions,
    @Inject(CONFIG) private readonly config: UpstreamSettings,
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
   * Sends one operation as it is, several of one credential as an array (interface 4.4).
   * @param cancellation none for what is left to finish
   * @returns an outcome for each operation; `unavailable`, `rate_limited`, `upstream_error` or `upstream_timeout` for
   *   each of them when the whole call failed
   * @throws ExchangeFault of kind `aborted` when it was cancelled
   */
  async send(
    operations: readonly Operation[],
    token: string | undefined,
    context: RequestContext,
    cancellation: Cancellation | undefined,
  ): Promise<Outcome[]> {
    const { voter } = operations[0]!.credential;
    const refused = this.refuse(voter);
    if (refused) return operations.map(() => refused);
    const settle = this.breaker.enter(voter);
    this.inFlight += 1;
    this.retries.earn();
    let outcome: CallOutcome = 'unknown';
    try {
      const answer = await this.exchange(operations, token, context, cancellation);
      const read = readOutcomes(answer, operations, this.config);
      const results = read instanceof Promise ? await read : read;
      outcome = results || answer.status < 500 ? 'succeeded' : 'failed';
      this.judge(results, answer);
      if (results) return results;
      const failure = refusal(answer);
      return operations.map(() => failure);
    } catch (error) {
      if (!(error instanceof ExchangeFault) || error.kind === 'aborted') throw error;
      outcome = error.kind === 'too_large' || error.kind === 'forbidden' ? 'unknown' : 'failed';
      const failure = fromFault(error);
      return operations.map(() => failure);
    } finally {
      this.inFlight -= 1;
      settle(outcome);
    }
  }

  /** What an answer holds, which its status does not tell. */
  private judge(results: readonly Outcome[] | undefined, { status }: IncomingAnswer): void {
    if (!results) {
      if (status < 400) this.answers.failed('no GraphQL');
      return;
    }
    this.answers.succeeded();
    if (results.some(isRateLimited)) this.limits.failed(RATE_LIMITED);
    else this.limits.succeeded();
  }

  private refuse(voter: string): BffError | undefined {
    const waitMs = this.breaker.waitMs(voter);
    if (waitMs > 0) return this.unavailable('circuit_open', waitMs);
    return this.inFlight < this.config.UPSTREAM_IN_FLIGHT_MAX ? undefined : this.unavailable('shed', 0);
  }

  private unavailable(kind: 'circuit_open' | 'shed', waitMs: number): BffError {
    this.interventions.count(kind);
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    return new BffError('unavailable', { message: `not sent upstream: ${kind}`, retryAfterSeconds });
  }

  /** One call; queries are sent once more if the first call cannot have been answered. */
  private async exchange(
    operations: readonly Operation[],
    token: string | undefined,
    context: RequestContext,
    cancellation: Cancellation | undefined,
  ): Promise<IncomingAnswer> {
    if (!operations.every(({ type }) => type === 'query')) {
      return this.attempt(operations, token, context, cancellation);
    }
    let failed: IncomingAnswer | ExchangeFault;
    try {
      const answer = await this.attempt(operations, token, context, cancellation);
      if (answer.status < 500) return answer;
      failed = answer;
    } catch (error) {
      if (!(error instanceof ExchangeFault)) throw error;
      failed = error;
    }
    const pauseMs = this.retries.pauseAfter(failed, context.deadline);
    if (pauseMs !== undefined) {
      this.retries.spend();
      this.interventions.count('retried');
      await pause(pauseMs, cancellation);
      return this.attempt(operations, token, context, cancellation);
    }
    if (failed instanceof ExchangeFault) throw failed;
    return failed;
  }

  private attempt(
    operations: readonly Operation[],
    token: string | undefined,
    context: RequestContext,
    cancellation: Cancellation | undefined,
  ): Promise<IncomingAnswer> {
    const body = operations.length === 1 ? operations[0]!.bytes : joinBodies(operations);
    const headers = graphqlHeaders(token, context.acceptLanguage);
    const bodyBytesMax = answerBytesMax(operations, this.config);
    const timeoutMs = Math.max(1, context.deadline - performance.now());
    return this.endpoint.send(body, headers, { bodyBytesMax, timeoutMs, cancellation }, context);
  }
}

function isRateLimited(outcome: Outcome): boolean {
  return !(outcome instanceof BffError) && readErrors(outcome).some(({ code }) => code === RATE_LIMITED);
}

const COMMA = Buffer.from(',');

function joinBodies(operations: readonly Operation[]): Buffer {
  const parts = operations.flatMap(({ bytes }, index) => (index === 0 ? [bytes] : [COMMA, bytes]));
  return Buffer.concat([Buffer.from('['), ...parts, Buffer.from(']')]);
}

/** The meaning of an answer that is not GraphQL. */
function refusal(answer: IncomingAnswer): BffError {
  if (answer.status === 401) return new TokenRefused();
  return fromRefusal(answer, 'graphql endpoint');
}

function pause(ms: number, cancellation: Cancellation | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onCancel = (): void => {
      clearTimeout(timer);
      reject(new ExchangeFault('aborted', false));
    };
    const timer = setTimeout(() => {
      cancellation?.offCancel(onCancel);
      resolve();
    }, ms);
    cancellation?.onCancel(onCancel);
  });
}
