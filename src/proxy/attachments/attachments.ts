import { finished, type Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { UserBudget } from '../../concurrency/user-budget.js';
import { Default } from '../../config/default.js';
import { BffError } from '../../errors/bff-error.js';
import { toBffError } from '../../errors/to-bff-error.js';
import { MembershipGate } from '../../hirer-access/membership-gate.js';
import { NO_HIRER } from '../../http/end-user.js';
import { ExchangeFault } from '../../http/outgoing/exchange.js';
import type { StreamingAnswer } from '../../http/outgoing/http-client.js';
import type { RequestContext } from '../../http/request-context.js';
import { AttachmentLinks, type SealedAttachment } from '../../operations/attachment-links.js';
import { PartnerTokens } from '../../token/partner-tokens.js';
import { RequestLimit } from '../../token/rate-limits.js';
import { sendWithToken } from '../../token/replace-refused-token.js';
import { fromRefusal } from '../../upstream/upstream-answer.js';
import { DOWNLOADS_MAX, isFile, Upstream } from '../../upstream/upstream.js';
import { cutIfSlow, SLOW_READER_MS } from '../slow-readers.js';

/** Interval between two checks that the reader of a file is still a member. */
const MEMBERSHIP_MS = 1_000;
/** Per user: as many as a browser opens to one server. */
const USER_DOWNLOADS_MAX = 6;
/** Per machine, which saves the files of many deliveries at once. Leaves connections for users. */
const MACHINE_DOWNLOADS_MAX = 32;

/**
 * The files behind sealed links. A link opens for the user it was made for, while the user is a member; the file is
 * fetched with the partner token, the only credential that the interface allows for it. A download holds an upstream
 * connection while its caller reads, so one user may have only a few, and slow readers are disconnected.
 */
@Injectable()
export class Attachments {
  private readonly places = new UserBudget({
    perUserMax: USER_DOWNLOADS_MAX,
    totalMax: DOWNLOADS_MAX,
    what: 'downloads',
  });

  constructor(
    private readonly links: AttachmentLinks,
    private readonly gate: MembershipGate,
    private readonly requestLimit: RequestLimit,
    private readonly partnerTokens: PartnerTokens,
    private readonly upstream: Upstream,
    @Default() private readonly windowMs = SLOW_READER_MS,
  ) {}

  /**
   * The file, whose download ends with the reply.
   * @throws BffError `not_found`, `hirer_forbidden`; `rate_limited` and `unavailable` when too many downloads are under
   * way
   */
  async fetch(
    sealed: string,
    { method, context }: FastifyRequest,
    { raw }: FastifyReply,
  ): Promise<StreamingAnswer> {
    const { endUser, notes } = context;
    const { path, hirerId } = await this.admit(sealed, context);
    this.places.take(endUser.userId, 1, endUser.isMachine ? MACHINE_DOWNLOADS_MAX : undefined);
    cutIfSlow(raw, this.windowMs, () => this.places.release(endUser.userId));
    const open = (token: string): Promise<StreamingAnswer> =>
      this.upstream.openFile(method === 'HEAD' ? 'HEAD' : 'GET', path, token, context);
    const file = await sendWithToken(this.partnerTokens, context, open, ({ status }) => status === 401);
    if (file.status === 404) throw new BffError('not_found', { message: 'attachment answered 404' });
    if (!isFile(file)) throw fromRefusal(file, 'attachment');
    const confirm = async (): Promise<void> => void (await this.gate.enter(endUser, hirerId, context));
    await confirm().catch((error: unknown) => {
      file.body.destroy();
      throw error; // the membership has ended during the wait
    });
    if (context.cancellation.cancelled) throw new ExchangeFault('aborted'); // the body failed with it
    if (file.body.errored) throw file.body.errored;
    Object.assign(notes, { outcomes: ['ok'], source: 'upstream' });
    file.body.on('error', (error) => (notes.outcomes = [toBffError(error).code]));
    breakOffWithMembership(file.body, confirm);
    return file;
  }

  /**
   * Opens a sealed link for a user who is still a member, within the request limit.
   * @throws BffError `not_found`, `hirer_forbidden` or `rate_limited`
   */
  async admit(sealed: string, context: RequestContext): Promise<SealedAttachment> {
    const { endUser, notes } = context;
    const link = this.links.open(sealed, endUser);
    if (!link) {
      throw new BffError('not_found', { message: 'the link is altered, expired or of another user' });
    }
    if (link.hirerId !== NO_HIRER) notes.hirerId = link.hirerId;
    await this.gate.enter(endUser, link.hirerId, context);
    await this.requestLimit.admit(endUser);
    return link;
  }
}

function breakOffWithMembership(body: Readable, confirm: () => Promise<void>): void {
  const timer = setInterval(() => {
    confirm().catch((error: unknown) => {
      if (toBffError(error).code === 'hirer_forbidden') body.destroy(error as Error);
    });
  }, MEMBERSHIP_MS);
  finished(body, () => clearInterval(timer));
}
