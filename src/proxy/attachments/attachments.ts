import type { Counter } from 'prom-client';
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { UserBudget } from '../../concurrency/user-budget.js';
import { Default } from '../../config/default.js';
import { CONFIG, type Config } from '../../config/load-config.js';
import { BffError } from '../../errors/bff-error.js';
import { toBffError } from '../../errors/to-bff-error.js';
import { HirerGate } from '../../hirer-access/hirer-gate.js';
import { contentCodings } from '../../http/header-values.js';
import { NO_HIRER } from '../../http/end-user.js';
import type { RequestContext } from '../../http/request-context.js';
import type { StreamingAnswer } from '../../http/outgoing/http-client.js';
import { Metrics } from '../../telemetry/metrics.js';
import { PartnerTokens } from '../../token/partner-tokens.js';
import { RequestLimit } from '../../token/rate-limits.js';
import { sendWithToken } from '../../token/token-renewal.js';
import { KeptTokens } from '../../upstream/kept-tokens.js';
import { DOWNLOADS_MAX, UpstreamClients } from '../../upstream/upstream-clients.js';
import { fromFault, fromRefusal } from '../../upstream/upstream-answer.js';
import { AttachmentLinks, type SealedAttachment } from '../../operations/attachment-links.js';
import { cutIfSlow, SLOW_READER_MS } from '../slow-readers.js';

/** Interval between two checks that the reader of a file is still a member. */
const MEMBERSHIP_MS = 1_000;
/** Per user: as many as a browser opens to one server. */
const USER_DOWNLOADS_MAX = 6;
/** Per machine, which saves the files of many deliveries at once. Leaves connections for users. */
const MACHINE_DOWNLOADS_MAX = 32;

/**
 * The files behind sealed links. A link opens for the user it was made for, as long as the user is a member; the file
 * is fetched with the partner token, the only credential that the interface allows for it, which never leaves. A download
 * holds an upstream connection for as long as its caller reads, so one user may have only a few, a machine more, all
 * together no more than there are connections for them, and a caller that reads less than 64 KiB in a minute is
 * disconnected.
 */
@Injectable()
export class Attachments {
  private readonly places: UserBudget;
  private readonly outcomes: Counter<'outcome'>;

  constructor(
    private readonly links: AttachmentLinks,
    private readonly gate: HirerGate,
    private readonly requestLimit: RequestLimit,
    private readonly partnerTokens: PartnerTokens,
    private readonly clients: UpstreamClients,
    private readonly kept: KeptTokens,
    @Inject(CONFIG) private readonly config: Pick<Config, 'UPSTREAM_TIMEOUT_MS'>,
    metrics: Metrics,
    @Default() private readonly windowMs = SLOW_READER_MS,
  ) {
    this.places = new UserBudget({
      perUserMax: USER_DOWNLOADS_MAX,
      totalMax: DOWNLOADS_MAX,
      what: 'downloads',
    });
    this.outcomes = metrics.counter(
      'bff_attachment_downloads_total',
      'Downloads: ok, stalled (cut, because its caller read too slowly), cancelled, or the error code.',
      ['outcome'],
    );
  }

  /**
   * The file, whose download ends with the reply.
   * @throws BffError `not_found` for a link that is altered, expired or of another user; `hirer_forbidden` for a user
   *   who is not a member any more; `rate_limited` and `unavailable` when too many downloads are under way
   */
  async fetch(
    sealed: string,
    { method, context }: FastifyRequest,
    reply: FastifyReply,
  ): Promise<StreamingAnswer> {
    const { endUser, notes } = context;
    let hasPlace = false;
    let file: StreamingAnswer | undefined;
    try {
      const { path, hirerId } = await this.admit(sealed, context);
      this.places.take(endUser.userId, 1, endUser.isMachine ? MACHINE_DOWNLOADS_MAX : undefined);
      hasPlace = true;
      file = await this.request(method === 'HEAD' ? 'HEAD' : 'GET', path, context);
      await this.gate.enter(endUser, hirerId, context); // the membership may have ended during the wait
      Object.assign(notes, { outcomes: ['ok'], source: 'upstream' });
      file.body.on('error', (error) => (notes.outcomes = [toBffError(error).code]));
      this.follow(file.body, endUser.userId, reply.raw);
      this.breakOffWithMembership(file, hirerId, context);
      return file;
    } catch (error) {
      if (file) discard(file);
      if (hasPlace) this.places.release(endUser.userId);
      this.outcomes.inc({ outcome: context.cancellation.cancelled ? 'cancelled' : toBffError(error).code });
      throw error;
    }
  }

  /** Watches an answer that has begun; the upstream connection and the place of the user are free when it ends. */
  private follow(body: Readable, user: string, response: ServerResponse): void {
    cutIfSlow(response, this.windowMs, (isStalled) => {
      this.outcomes.inc({ outcome: isStalled ? 'stalled' : outcomeOf(body, response) });
      body.on('error', () => undefined).destroy();
      this.places.release(user);
    });
  }

  /**
   * Opens a sealed link for the user of a request: the user's own, or of any machine for a machine; still a member,
   * within the request limit.
   * @throws BffError `not_found`, `hirer_forbidden` or `rate_limited`
   */
  async admit(sealed: string, context: RequestContext): Promise<SealedAttachment> {
    const { endUser, notes } = context;
    const link = this.links.openFor(sealed, endUser);
    if (!link) {
      throw new BffError('not_found', { message: 'the link is altered, expired or of another user' });
    }
    if (link.hirerId !== NO_HIRER) notes.hirerId = link.hirerId;
    await this.gate.enter(endUser, link.hirerId, context);
    await this.requestLimit.admit(endUser);
    return link;
  }

  /** A download ends with the membership of its reader. Machines have no membership. */
  private breakOffWithMembership({ body }: StreamingAnswer, hirerId: string, context: RequestContext): void {
    if (body.closed || context.endUser.isMachine) return;
    const look = async (): Promise<void> => {
      try {
        await this.gate.enter(context.endUser, hirerId, context);
      } catch (error) {
        const { code } = toBffError(error);
        if (code === 'hirer_forbidden') body.destroy(error as Error);
      }
    };
    const timer = setInterval(() => void look(), MEMBERSHIP_MS).unref();
    body.on('close', () => clearInterval(timer));
  }

  private async request(
    method: 'GET' | 'HEAD',
    path: string,
    context: RequestContext,
  ): Promise<StreamingAnswer> {
    const open = (token: string): Promise<StreamingAnswer> => this.open(method, path, token, context);
    const answer = await sendWithToken(this.partnerTokens, context, open, ({ status }) => status === 401);
    if (isFile(answer)) return answer;
    if (answer.status === 404) throw new BffError('not_found', { message: 'attachment answered 404' });
    throw fromRefusal(answer, 'attachment');
  }

  /**
   * The body of an answer that is not a file is not read, and its connection is closed.
   * @param path path and query; the origin is always the client's own
   */
  private async open(
    method: 'GET' | 'HEAD',
    path: string,
    token: string,
    context: RequestContext,
  ): Promise<StreamingAnswer> {
    const headers = { authorization: `Bearer ${token}` };
    const timeoutMs = this.config.UPSTREAM_TIMEOUT_MS;
    const { cancellation } = context;
    const request = { method, path, headers, timeoutMs, bodyBytesMax: 0, cancellation };
    const answer = await this.clients.attachment.open(request, context).catch((error: unknown) => {
      throw fromFault(error);
    });
    const isForbidden = this.kept.areInHeader(Object.values(answer.headers).join('\n'));
    if (isForbidden || !isFile(answer)) discard(answer);
    if (isForbidden) throw new BffError('upstream_error', { message: 'a header holds a partner token' });
    return isFile(answer) ? { ...answer, body: this.guarded(answer.body) } : answer;
  }

  /** The body, searched for partner tokens. If it breaks off, the upstream is at fault. */
  private guarded(body: Readable): Readable {
    const passing = this.kept.guard().on('error', () => undefined); // it may fail while nobody reads it yet
    body.on('error', (cause) => passing.destroy(new BffError('upstream_error', { cause })));
    passing.on('close', () => body.destroy());
    return body.pipe(passing);
  }
}

function outcomeOf(body: Readable, response: ServerResponse): string {
  if (response.writableFinished) return 'ok';
  return body.errored ? toBffError(body.errored).code : 'cancelled';
}

function discard({ body }: StreamingAnswer): void {
  body.on('error', () => undefined).destroy();
}

function isFile({ status, headers }: StreamingAnswer): boolean {
  return status === 200 && contentCodings(headers['content-encoding']) === undefined;
}
