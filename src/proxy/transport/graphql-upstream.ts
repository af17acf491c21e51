import { BffError } from '../../errors/bff-error.js';
import type { Cancellation } from '../../http/cancellation.js';
import type { GraphqlEndpoint } from '../../upstream/graphql-endpoint.js';
import { UpstreamFault, type IncomingAnswer } from '../../http/exchange.js';
import type { RequestContext } from '../../http/request-context.js';
import { retryAfterSeconds } from '../../http/retry-after.js';
import type { CallOutcome } from './circuit-breaker.js';
import { TokenRefused, readShape, type GraphqlResult, type Outcome } from './graphql-result.js';
import type { Interventions } from '../interventions.js';
import { sliceElements } from '../json-slices.js';
import type { UserBreakers } from './user-breakers.js';

const RETRY_MS_MIN = 25;
const RETRY_MS_MAX = 250;
const RETRY_CREDITS_MAX = 10;
const RETRY_CREDIT = 0.1;

/** What goes upstream, and how long it may take. */
export interface UpstreamSend {
  /** Whose failure it counts as. */
  readonly user: string;
  readonly token: string | undefined;
  readonly bodies: readonly Buffer[];
  /** Whether all of it are queries, which may be sent twice. */
  readonly repeatable: boolean;
  /** On the clock of `performance.now()`. */
  readonly deadline: number;
  readonly cancellation: Cancellation | undefined;
  readonly context: RequestContext;
}

/**
 * The upstream's GraphQL endpoint as the proxy uses it: bounded in calls at one time, given up while it fails, asked
 * once more for queries where that is safe, and its answers told from noise.
 */
export class GraphqlUpstream {
  private inFlight = 0;
  private retryCredits = RETRY_CREDITS_MAX;

  constructor(
    private readonly endpoint: GraphqlEndpoint,
    private readonly breakers: UserBreakers,
    private readonly limits: { readonly inFlightMax: number; readonly answerBytesMax: number },
    private readonly interventions: Interventions,
    private readonly random: () => number = Math.random,
  ) {}

  /**
   * Sends one body as it is, several as an array (interface 4.4).
   * @returns an outcome for each body; `unavailable`, `rate_limited`, `upstream_error` or `upstream_timeout` for each of
   *   them when all of it failed
   * @throws UpstreamFault of kind `aborted` when it was cancelled
   */
  async send(send: UpstreamSend): Promise<Outcome[]> {
    const refused = this.refuse(send.user);
    if (refused) return fillWith(refused, send);
    const settle = this.breakers.enter(send.user);
    this.inFlight += 1;
    this.retryCredits = Math.min(RETRY_CREDITS_MAX, this.retryCredits + RETRY_CREDIT);
    let outcome: CallOutcome = 'unknown';
    try {
      const answer = await this.exchange(send);
      const results = readResults(answer, send.bodies.length);
      outcome = results || answer.status < 500 ? 'succeeded' : 'failed';
      return results ?? fillWith(refusal(answer), send);
    } catch (error) {
      if (!(error instanceof UpstreamFault) || error.kind === 'aborted') throw error;
      outcome = error.kind === 'too_large' ? 'unknown' : 'failed';
      const code = error.kind === 'timeout' ? 'upstream_timeout' : 'upstream_error';
      return fillWith(new BffError(code, { cause: error }), send);
    } finally {
      this.inFlight -= 1;
      settle(outcome);
    }
  }

  /** Takes a credit for asking once more; false when no more than a tenth of the calls would be left. */
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
    return this.inFlight < this.limits.inFlightMax ? undefined : this.unavailable('shed', 0);
  }

  private unavailable(kind: 'user_circuit_open' | 'circuit_open' | 'shed', waitMs: number): BffError {
    this.interventions.count(kind);
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    return new BffError('unavailable', { message: `not sent upstream: ${kind}`, retryAfterSeconds });
  }

  private async exchange(send: UpstreamSend): Promise<IncomingAnswer> {
    let answer: IncomingAnswer | UpstreamFault;
    try {
      answer = await this.attempt(send);
      if (answer.status < 500) return answer;
    } catch (error) {
      if (!(error instanceof UpstreamFault) || !mayRepeat(send, error)) throw error;
      answer = error;
    }
    const pauseMs = this.pauseBefore(answer, send);
    if (pauseMs === undefined) {
      if (answer instanceof UpstreamFault) throw answer;
      return answer;
    }
    this.spendRetry();
    this.interventions.count('retried');
    await pause(pauseMs, send.cancellation);
    return this.attempt(send);
  }

  private attempt({ token, bodies, deadline, cancellation, context }: UpstreamSend): Promise<IncomingAnswer> {
    const body = bodies.length === 1 ? bodies[0]! : joinBodies(bodies);
    const timeoutMs = Math.max(1, deadline - performance.now());
    const bodyBytesMax = this.limits.answerBytesMax * bodies.length;
    const language = context.acceptLanguage;
    return this.endpoint.send({ token, body, bodyBytesMax, timeoutMs, cancellation, language }, context);
  }

  /** Milliseconds to wait before the one retry; undefined when there is none. */
  private pauseBefore(answer: IncomingAnswer | UpstreamFault, send: UpstreamSend): number | undefined {
    if (!send.repeatable || this.retryCredits < 1) return undefined;
    let pauseMs = RETRY_MS_MIN + (RETRY_MS_MAX - RETRY_MS_MIN) * this.random();
    if (!(answer instanceof UpstreamFault)) {
      const busy = answer.status === 502 || answer.status === 503;
      if (!busy || readResults(answer, send.bodies.length)) return undefined;
      pauseMs = Math.max(pauseMs, (retryAfterSeconds(answer.headers['retry-after'], Date.now()) ?? 0) * 1000);
    }
    return performance.now() + pauseMs < send.deadline ? pauseMs : undefined;
  }
}

/** Only what cannot have been answered: never a timeout, never after the first byte. */
function mayRepeat({ repeatable }: UpstreamSend, { kind, answering }: UpstreamFault): boolean {
  return repeatable && kind === 'connection' && !answering;
}

function fillWith(outcome: Outcome, { bodies }: UpstreamSend): Outcome[] {
  return bodies.map(() => outcome);
}

const COMMA = Buffer.from(',');

function joinBodies(bodies: readonly Buffer[]): Buffer {
  const parts = bodies.flatMap((body, index) => (index === 0 ? [body] : [COMMA, body]));
  return Buffer.concat([Buffer.from('['), ...parts, Buffer.from(']')]);
}

/**
 * An outcome for each request. A single answer to an array stands for each of its items only if it refuses all of them:
 * data would be that of one item, and nothing says of which.
 */
function readResults(answer: IncomingAnswer, count: number): Outcome[] | undefined {
  const { status, headers, body } = answer;
  if (headers['content-encoding'] !== undefined || (status >= 300 && status < 400)) return undefined;
  const contentLanguage = single(headers['content-language']);
  const retryAfter = single(headers['retry-after']);
  const toResult = (bytes: Buffer, shape = readShape(bytes)): GraphqlResult | undefined =>
    shape && { status, body: bytes, hasErrors: shape.hasErrors, contentLanguage, retryAfter };
  const shape = readShape(body);
  if (shape) {
    if (count > 1 && (shape.hasData || !shape.hasErrors)) return undefined;
    return new Array<Outcome>(count).fill(toResult(body, shape)!);
  }
  const slices = count > 1 ? sliceElements(body) : undefined;
  if (slices?.length !== count) return undefined;
  return slices.map(
    (slice) =>
      toResult(slice) ?? new BffError('upstream_error', { message: 'an item of the answer is not GraphQL' }),
  );
}

function single(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}

/** What an answer that is not GraphQL means. A status is never copied: the upstream's 401 or 400 is our fault. */
function refusal({ status, headers }: IncomingAnswer): BffError {
  const wait = retryAfterSeconds(headers['retry-after'], Date.now());
  const details = {
    message: `graphql endpoint answered ${status} without GraphQL`,
    ...(wait !== undefined && { retryAfterSeconds: wait }),
  };
  if (status === 401) return new TokenRefused();
  if (status === 429) return new BffError('rate_limited', details);
  if (status === 503) return new BffError('unavailable', details);
  return new BffError('upstream_error', { message: details.message });
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
