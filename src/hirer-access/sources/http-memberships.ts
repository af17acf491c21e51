import { createHmac } from 'node:crypto';
import { BffError } from '../../errors/bff-error.js';
import { StatusFault, type HttpClient } from '../../http/outgoing/http-client.js';
import { ExchangeFault, OutgoingRequest } from '../../http/outgoing/exchange.js';
import { RequestContext } from '../../http/request-context.js';
import type { CallReports } from '../../telemetry/conditions/call-condition.js';
import { readMembership } from '../membership.js';
import type { MembershipSource, SourceAnswer, SourceUser } from '../hirer-access.port.js';

/** Of one call, in milliseconds. */
const MEMBERSHIPS_TIMEOUT_MS = 500;
/** A user of some five thousand hirers. */
const ANSWER_BYTES_MAX = 524_288;

/**
 * Memberships kept by a service of the partner. It receives `{issuer, subject}` and answers
 * `{memberships: [{hirerId, roles}], maxAgeSeconds?}`. Reading is safe to repeat, so a failed call is retried once, unless
 * the service refuses it (4xx).
 */
export class HttpMemberships implements MembershipSource {
  /** @param secret read for each call; signs its body: `X-Signature` is the HMAC-SHA-256 in hex */
  constructor(
    private readonly url: URL,
    private readonly client: HttpClient,
    private readonly secret?: () => string | undefined,
    private readonly calls?: CallReports,
  ) {}

  async read({ issuer, subject }: SourceUser, context = RequestContext.background()): Promise<SourceAnswer> {
    const body = JSON.stringify({ issuer, subject });
    try {
      const answer = readAnswer(await this.post(body, context));
      this.calls?.succeeded();
      return answer;
    } catch (error) {
      this.calls?.failed(error instanceof ExchangeFault ? error.kind : (error as Error).message);
      throw new BffError('unavailable', { message: 'the membership service failed', cause: error });
    }
  }

  private async post(body: string, context: RequestContext): Promise<unknown> {
    const path = this.url.pathname + this.url.search;
    const bounds = { timeoutMs: MEMBERSHIPS_TIMEOUT_MS, bodyBytesMax: ANSWER_BYTES_MAX };
    const secret = this.secret?.();
    const signature = secret && createHmac('sha256', secret).update(body).digest('hex');
    const ask = (): Promise<unknown> => {
      const headers = { 'content-type': 'application/json', ...(signature && { 'x-signature': signature }) };
      return this.client.fetchJson(new OutgoingRequest('POST', path, headers, bounds, body), context);
    };
    return ask().catch((error: unknown) => {
      if (error instanceof StatusFault && error.status >= 400 && error.status < 500) throw error;
      return ask();
    });
  }
}

/** Every member is checked; an answer that is wrong in any part is refused as a whole. */
function readAnswer(answer: unknown): SourceAnswer {
  const { memberships, maxAgeSeconds = Infinity } = (answer ?? {}) as Record<string, unknown>;
  if (!Array.isArray(memberships)) throw new Error('the answer has no list of memberships');
  if (typeof maxAgeSeconds !== 'number' || !(maxAgeSeconds >= 0)) {
    throw new Error('maxAgeSeconds is not a duration');
  }
  return { memberships: memberships.map(readMembership), maxAgeMs: maxAgeSeconds * 1000 };
}
