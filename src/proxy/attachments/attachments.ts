import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { EndUser } from '../../http/end-user.js';
import { BffError } from '../../errors/bff-error.js';
import { toBffError } from '../../errors/to-bff-error.js';
import type { HirerGate } from '../../hirer-access/hirer-gate.js';
import type { RateLimit } from '../../storage/rate-limit.js';
import type { PartnerTokens } from '../../token/partner-tokens.js';
import type { AttachmentEndpoint } from '../../upstream/attachment-endpoint.js';
import { UpstreamFault } from '../../http/exchange.js';
import type { StreamingAnswer } from '../../http/stream.js';
import type { RequestContext } from '../../http/request-context.js';
import { retryAfterSeconds } from '../../http/retry-after.js';
import type { AttachmentLinks, SealedAttachment } from './attachment-links.js';
import type { Downloads } from './downloads.js';

/** A request for the file behind a sealed link. */
export interface AttachmentRequest {
  readonly user: EndUser;
  readonly sealed: string;
  readonly method: 'GET' | 'HEAD';
  readonly context: RequestContext;
  /** Where the file will go: the download ends with it. */
  readonly response: ServerResponse;
}

/** A file on its way. */
export interface AttachmentAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
}

/** What passes of the upstream's headers (contract, Attachments), and what stands for one that is missing. */
const HEADERS: Readonly<Record<string, string | undefined>> = {
  'content-disposition': 'attachment',
  'content-length': undefined,
  'content-type': 'application/octet-stream',
  'last-modified': undefined,
};

/** What the service needs to fetch a file. */
export interface AttachmentParts {
  readonly links: AttachmentLinks;
  readonly gate: HirerGate;
  readonly requestLimit: RateLimit;
  readonly partnerTokens: PartnerTokens;
  readonly endpoint: AttachmentEndpoint;
  readonly downloads: Downloads;
}

/**
 * The files behind sealed links. A link opens for the user it was made for, as long as the user is a member; the file
 * is fetched with the partner token, the one credential that the interface gives for it, which never leaves.
 */
export class Attachments {
  constructor(
    private readonly parts: AttachmentParts,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * @throws BffError `not_found` for a link that is altered, foreign or expired; `hirer_forbidden` for one who is no
   *   member any more; `rate_limited` and `unavailable` when too many downloads are under way
   */
  async fetch(request: AttachmentRequest): Promise<AttachmentAnswer> {
    const { gate, requestLimit } = this.parts;
    const { user, context } = request;
    try {
      const link = this.openLink(request);
      context.notes.hirerId = link.hirerId;
      await gate.enter(user, link.hirerId);
      const retryAfter = await requestLimit.take(user.userId);
      if (retryAfter !== undefined) throw new BffError('rate_limited', { retryAfterSeconds: retryAfter });
      const answer = await this.download(link.path, request);
      Object.assign(context.notes, { outcomes: ['ok'], source: 'upstream' });
      return answer;
    } catch (error) {
      this.parts.downloads.count(context.cancellation.cancelled ? 'cancelled' : toBffError(error).code);
      throw error;
    }
  }

  private openLink({ sealed, user }: AttachmentRequest): SealedAttachment {
    const link = this.parts.links.open(sealed);
    if (link?.userId === user.userId) return link;
    throw new BffError('not_found', { message: 'the link is altered, expired or of another user' });
  }

  private async download(path: string, request: AttachmentRequest): Promise<AttachmentAnswer> {
    const { downloads } = this.parts;
    const leave = downloads.enter(request.user.userId);
    try {
      const answer = await this.request(path, request);
      downloads.follow(answer.body, request.response, leave);
      return answer;
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** A partner token that is refused is replaced once. */
  private async request(path: string, { method, context }: AttachmentRequest): Promise<AttachmentAnswer> {
    const { partnerTokens, endpoint } = this.parts;
    for (let attempt = 1; ; attempt += 1) {
      const token = await partnerTokens.get(context);
      const { cancellation } = context;
      const answer = await endpoint.open({ method, path, token, cancellation }, context).catch(rethrow);
      if (answer.status === 200 && answer.headers['content-encoding'] === undefined) {
        return { headers: passedHeaders(answer.headers), body: answer.body };
      }
      discard(answer);
      const isRenewed = answer.status === 401 && attempt === 1 && (await partnerTokens.drop(token, context));
      if (!isRenewed) throw refusal(answer, this.now());
    }
  }
}

function rethrow(fault: unknown): never {
  if (!(fault instanceof UpstreamFault)) throw fault;
  throw new BffError(fault.kind === 'timeout' ? 'upstream_timeout' : 'upstream_error', { cause: fault });
}

/** What the answer still holds is not read: the connection goes with it. */
function discard({ body }: StreamingAnswer): void {
  body.on('error', () => undefined).destroy();
}

function refusal({ status, headers }: StreamingAnswer, now: number): BffError {
  const wait = retryAfterSeconds(headers['retry-after'], now);
  const details = {
    message: `attachment answered ${status}`,
    ...(wait !== undefined && { retryAfterSeconds: wait }),
  };
  if (status === 404) return new BffError('not_found', { message: details.message });
  if (status === 429) return new BffError('rate_limited', details);
  if (status === 503) return new BffError('unavailable', details);
  return new BffError('upstream_error', { message: details.message });
}

function passedHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, fallback] of Object.entries(HEADERS)) {
    const value = headers[name] ?? fallback;
    if (typeof value === 'string') passed[name] = value;
  }
  return passed;
}
