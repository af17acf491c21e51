import type { Cancellation } from '../../http/cancellation.js';
import { RequestContext } from '../../http/request-context.js';
import type { Log } from '../../telemetry/log.js';
import { sendWithToken, type TokenSource } from '../../token/token-renewal.js';
import type { Upstream } from '../../upstream/upstream.js';
import {
  eventsQuery,
  readEventsAnswer,
  type EventsFault,
  type EventsPage,
  type StreamPlace,
  type Tier,
} from './events-query.js';

/** How long the full query is not tried again after the upstream refused it. */
const REFUSED_MS = 3_600_000;
const ANSWER_BYTES_MAX = 4_194_304;

/** Thrown to end a reading early. */
export class ReadingEnded extends Error {
  override readonly name = 'ReadingEnded';

  /** @param isRefused whether the upstream accepts the query in no form */
  constructor(
    reason: string,
    readonly retryInMs?: number,
    readonly isRefused = false,
  ) {
    super(reason);
  }
}

/** Reads pages of the upstream's events with the partner token: by the full query, or the plain one where that is refused. */
export class EventPages {
  /** Until then, epoch milliseconds, the full query is not tried. */
  private plainUntil = 0;

  constructor(
    private readonly schemeId: string,
    private readonly upstream: Pick<Upstream, 'sendGraphql'>,
    private readonly tokens: TokenSource,
    private readonly log: Log,
    private readonly now: () => number,
    private readonly stopping: Cancellation,
  ) {}

  /** In which form events are read. */
  get tier(): Tier {
    return this.now() < this.plainUntil ? 'plain' : 'full';
  }

  /**
   * Reads one page. That the upstream accepts no form says nothing about the forms.
   * @throws ReadingEnded; ExchangeFault when no whole answer came; BffError without a partner token
   */
  async read(place: StreamPlace): Promise<EventsPage> {
    if (this.tier === 'plain') return pageOf(await this.ask('plain', place));
    const full = await this.ask('full', place);
    if (full.kind !== 'refused') return pageOf(full);
    const plain = await this.ask('plain', place);
    if (plain.kind === 'page') {
      this.plainUntil = this.now() + REFUSED_MS;
      this.log.warn(
        { reason: full.reason, triedAgainInMs: REFUSED_MS },
        'the upstream refuses the full events query; events are read without their content',
      );
    }
    return pageOf(plain.kind === 'refused' ? full : plain);
  }

  private ask(tier: Tier, place: StreamPlace): Promise<EventsPage | EventsFault> {
    const context = RequestContext.background();
    const body = eventsQuery(this.schemeId, place, tier);
    const bounds = { bodyBytesMax: ANSWER_BYTES_MAX, cancellation: this.stopping };
    const send = async (token: string) =>
      readEventsAnswer(await this.upstream.sendGraphql(body, { token, ...bounds }, context), this.now());
    return sendWithToken(this.tokens, context, send, ({ kind }) => kind === 'unauthenticated');
  }
}

/** @throws ReadingEnded */
function pageOf(answer: EventsPage | EventsFault): EventsPage {
  if (answer.kind === 'page') return answer;
  throw new ReadingEnded(answer.reason, answer.retryAfterMs, answer.kind === 'refused');
}
