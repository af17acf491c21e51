import { setImmediate as turn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { Default } from '../../config/default.js';
import { CONFIG, type Config } from '../../config/load-config.js';
import { BffError } from '../../errors/bff-error.js';
import type { Cancellation } from '../../http/cancellation.js';
import { UpstreamFault, type IncomingAnswer } from '../../http/outgoing/exchange.js';
import type { RequestContext } from '../../http/request-context.js';
import { retryAfterSeconds } from '../../http/outgoing/retry-after.js';
import { GraphqlEndpoint, type GraphqlCall } from '../../upstream/graphql-endpoint.js';
import { fromFault, fromRefusal } from '../../upstream/upstream-error.js';
import { Interventions } from '../interventions.js';
import { walkElements } from '../../json/slices.js';
import type { Operation } from '../operation.js';
import type { CallOutcome } from './circuit-breaker.js';
import {
  TokenRefused,
  readShape,
  type AnswerShape,
  type GraphqlResult,
  type Outcome,
} from './graphql-result.js';
import { UserBreakers } from './user-breakers.js';

/** An item of an array after which others have a turn of the event loop. */
const LARGE_BYTES = 65_536;
const RETRY_MS_MIN = 25;
const RETRY_MS_MAX = 250;
const RETRY_CREDITS_MAX = 10;
const RETRY_CREDIT = 0.1;

/** Settings that {@link GraphqlUpstream} reads. */
type UpstreamSettings = Pick<
  Config,
  'UPSTREAM_IN_FLIGHT_MAX' | 'ANSWER_LIMIT_BYTES' | 'REGISTERED_ANSWER_LIMIT_BYTES'
>;

/**
 * The upstream's GraphQL endpoint as the proxy uses it: calls in flight are bounded, none is made while the upstream
 * fails, queries are retried once where that is safe, and an answer that is not GraphQL is an error.
 */
@Injectable()
export class GraphqlUpstream {
  private inFlight = 0;
  private retryCredits = RETRY_CREDITS_MAX;

  constructor(
    private readonly endpoint: GraphqlEndpoint,
    private readonly breakers: UserBreakers,
    private readonly interventions: Interventions,
    @Inject(CONFIG) private readonly config: UpstreamSettings,
    @Default() private readonly random: () => number = Math.random,
  ) {}

  /**
   * Sends one operation as it is, several of one credential as an array (interface 4.4).
   * @param cancellation none for what is left to finish
   * @returns an outcome for each operation; `unavailable`, `rate_limited`, `upstream_error` or `upstream_timeout` for
   *   each of them when the whole call failed
   * @throws UpstreamFault of kind `aborted` when it was cancelled
   */
  async send(
    operations: readonly Operation[],
    token: string | undefined,
    context: RequestContext,
    cancellation: Cancellation | undefined,
  ): Promise<Outcome[]> {
    const { user } = operations[0]!.credential;
    const refused = this.refuse(user);
    if (refused) return operations.map(() => refused);
    const settle = this.breakers.enter(user);
    this.inFlight += 1;
    this.retryCredits = Math.min(RETRY_CREDITS_MAX, this.retryCredits + RETRY_CREDIT);
    let outcome: CallOutcome = 'unknown';
    try {
      const answer = await this.exchange(operations, token, context, cancellation);
      const results = await this.readResults(answer, operations);
      outcome = results || answer.status < 500 ? 'succeeded' : 'failed';
      if (results) return results;
      const failure = refusal(answer);
      return operations.map(() => failure);
    } catch (error) {
      if (!(error instanceof UpstreamFault) || error.kind === 'aborted') throw error;
      outcome = error.kind === 'too_large' ? 'unknown' : 'failed';
      const failure = fromFault(error);
      return operations.map(() => failure);
    } finally {
      this.inFlight -= 1;
      settle(outcome);
    }
  }

  /** Takes a credit for a further call; false when retries and splits would exceed a tenth of the calls. */
  spendRetry(): boolean {
    if (this.retryCredits < 1) return false;
    this.retryCredits -= 1;
    return true;
  }

  private refuse(user: string): BffError | undefined {
    const ownWaitMs = this.breakers.ownWaitMs(user);
    if (ownWaitMs > 0) return this.unavailable('user_circuit_open', ownWaitMs);
    const sharedWaitMs = this.breakers.sharedWaitMs(user);
    if (sharedWaitMs > 0) return this.unavailable('circuit_open', sharedWaitMs);
    return this.inFlight < this.config.UPSTREAM_IN_FLIGHT_MAX ? undefined : this.unavailable('shed', 0);
  }

  private unavailable(kind: 'user_circuit_open' | 'circuit_open' | 'shed', waitMs: number): BffError {
    this.interventions.count(kind);
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    const culprit = kind === 'shed' ? 'load' : 'upstream';
    return new BffError('unavailable', { message: `not sent upstream: ${kind}`, culprit, retryAfterSeconds });
  }

  private async exchange(
    operations: readonly Operation[],
    token: string | undefined,
    context: RequestContext,
    cancellation: Cancellation | undefined,
  ): Promise<IncomingAnswer> {
    const isRepeatable = operations.every(({ type }) => type === 'query');
    const call = {
      token,
      body: operations.length === 1 ? operations[0]!.bytes : joinBodies(operations),
      bodyBytesMax: this.bodyBytesMax(operations),
      language: context.acceptLanguage,
      cancellation,
    };
    if (!isRepeatable) return this.attempt(call, context);
    let answer: IncomingAnswer | UpstreamFault;
    try {
      answer = await this.attempt(call, context);
      if (answer.status < 500) return answer;
    } catch (error) {
      if (!(error instanceof UpstreamFault) || !mayRetry(error)) throw error;
      answer = error;
    }
    const pauseMs = this.pauseBefore(answer, context.deadline);
    if (pauseMs === undefined) {
      if (answer instanceof UpstreamFault) throw answer;
      return answer;
    }
    this.spendRetry();
    this.interventions.count('retried');
    await pause(pauseMs, cancellation);
    return this.attempt(call, context);
  }

  private limitOf({ registered }: Operation): number {
    const { ANSWER_LIMIT_BYTES, REGISTERED_ANSWER_LIMIT_BYTES } = this.config;
    return registered ? Math.min(ANSWER_LIMIT_BYTES, REGISTERED_ANSWER_LIMIT_BYTES) : ANSWER_LIMIT_BYTES;
  }

  /** An array may be longer by one answer, so that a single one that is too large does not fail the others. */
  private bodyBytesMax(operations: readonly Operation[]): number {
    const sum = operations.reduce((bytes, operation) => bytes + this.limitOf(operation), 0);
    return operations.length === 1 ? sum : sum + this.config.ANSWER_LIMIT_BYTES;
  }

  /**
   * An outcome for each operation. A single answer to an array is that of each item only if it refuses all of them: data
   * would be that of one item, and nothing says of which. Between large items, others have a turn.
   */
  private async readResults(
    answer: IncomingAnswer,
    operations: readonly Operation[],
  ): Promise<Outcome[] | undefined> {
    const { status, headers, body } = answer;
    if (headers['content-encoding'] !== undefined || (status >= 300 && status < 400)) return undefined;
    const shape = readShape(body);
    if (shape) {
      if (operations.length > 1 && (shape.hasData || !shape.hasErrors)) return undefined;
      return operations.map(() => toResult(answer, body, shape));
    }
    if (operations.length === 1) return undefined;
    const results: Outcome[] = [];
    for (const item of walkElements(body)) {
      const operation = operations[results.length];
      if (!item || !operation) return undefined;
      results.push(this.readItem(answer, item, operation));
      if (item.length > LARGE_BYTES) await turn();
    }
    return results.length === operations.length ? results : undefined;
  }

  private readItem(answer: IncomingAnswer, item: Buffer, operation: Operation): Outcome {
    if (item.length > this.limitOf(operation)) {
      return new BffError('upstream_error', { message: 'an item of the answer is too large' });
    }
    const shape = readShape(item);
    if (shape) return toResult(answer, item, shape);
    return new BffError('upstream_error', { message: 'an item of the answer is not GraphQL' });
  }

  private attempt(call: Omit<GraphqlCall, 'timeoutMs'>, context: RequestContext): Promise<IncomingAnswer> {
    const timeoutMs = Math.max(1, context.deadline - performance.now());
    return this.endpoint.send({ ...call, timeoutMs }, context);
  }

  /** Milliseconds to wait before the one retry of queries; undefined when there is none. */
  private pauseBefore(answer: IncomingAnswer | UpstreamFault, deadline: number): number | undefined {
    if (this.retryCredits < 1) return undefined;
    let pauseMs = RETRY_MS_MIN + (RETRY_MS_MAX - RETRY_MS_MIN) * this.random();
    if (!(answer instanceof UpstreamFault)) {
      const isBusy = answer.status === 502 || answer.status === 503;
      if (!isBusy || isGraphql(answer)) return undefined;
      pauseMs = Math.max(pauseMs, (retryAfterSeconds(answer.headers['retry-after'], Date.now()) ?? 0) * 1000);
    }
    return performance.now() + pauseMs < deadline ? pauseMs : undefined;
  }
}

/** Only a call that cannot have been answered: never after a timeout, never after the first byte. */
function mayRetry({ kind, answering }: UpstreamFault): boolean {
  return kind === 'connection' && !answering;
}

const COMMA = Buffer.from(',');

function joinBodies(operations: readonly Operation[]): Buffer {
  const parts = operations.flatMap(({ bytes }, index) => (index === 0 ? [bytes] : [COMMA, bytes]));
  return Buffer.concat([Buffer.from('['), ...parts, Buffer.from(']')]);
}

/** Whether an answer is, or begins like, one of GraphQL to one operation or to an array. */
function isGraphql({ headers, body }: IncomingAnswer): boolean {
  if (headers['content-encoding'] !== undefined) return false;
  if (readShape(body)) return true;
  const [first] = walkElements(body);
  return first !== undefined && readShape(first) !== undefined;
}

function toResult(
  { status, headers }: IncomingAnswer,
  body: Buffer,
  { hasErrors }: AnswerShape,
): GraphqlResult {
  const contentLanguage = single(headers['content-language']);
  const retryAfter = single(headers['retry-after']);
  return { status, body, hasErrors, contentLanguage, retryAfter };
}

function single(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
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
      reject(new UpstreamFault('aborted', false));
    };
    const timer = setTimeout(() => {
      cancellation?.offCancel(onCancel);
      resolve();
    }, ms);
    cancellation?.onCancel(onCancel);
  });
}
