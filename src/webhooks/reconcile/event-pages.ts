import type { Cancellation } from '../../http/cancellation.js';
import { RequestContext } from '../../http/request-context.js';
import type { Check } from '../../telemetry/health.js';
import type { Log } from '../../telemetry/log.js';
import { sendWithToken, type TokenSource } from '../../token/token-renewal.js';
import { graphqlHeaders, type GraphqlEndpoint } from '../../upstream/graphql-endpoint.js';
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

/** A page, and how much of its events was asked for. */
export interface TieredPage extends EventsPage {
  readonly tier: Tier;
}

/** Thrown to end a reading early. */
export class ReadingEnded extends Error {
  override readonly name = 'ReadingEnded';

  /** @param isRefused whether the upstream accepts the query in no form */
  constructor(
    readonly outcome: 'limited' | 'failed',
    reason: string,
    readonly retryInMs?: number,
    readonly isRefused = false,
  ) {
    super(reason);
  }
}

/** Reads pages of the upstream's events with the partner token: by the full query, or the plain one where that is refused. */
export class EventPages {
  /** Why the full query was refused last, as far as this replica knows, and when it is tried again (epoch milliseconds). */
  private refusal: { readonly reason: string; readonly triedAgainAt: number } | undefined;

  constructor(
    private readonly schemeId: string,
    private readonly graphql: Pick<GraphqlEndpoint, 'send'>,
    private readonly tokens: TokenSource,
    private readonly log: Log,
    private readonly now: () => number,
    private readonly stopping: Cancellation,
  ) {}

  /** In which form events are read. */
  get tier(): Tier {
    return this.refusal ? 'plain' : 'full';
  }

  /** For `/readyz`. */
  check(): Check {
    if (!this.refusal) return { state: 'up' };
    const again = new Date(this.refusal.triedAgainAt).toISOString();
    const reason = `the upstream refuses the full events query; events are read as "plain" until ${again}`;
    return { state: 'degraded', reason };
  }

  /**
   * Reads one page. That the upstream accepts no form says nothing about the forms.
   * @throws ReadingEnded; ExchangeFault when no whole answer came; BffError without a partner token
   */
  async read(place: StreamPlace): Promise<TieredPage> {
    const isPlain = this.refusal !== undefined && this.now() < this.refusal.triedAgainAt;
    if (isPlain) return pageOf(await this.ask('plain', place), 'plain');
    const full = await this.ask('full', place);
    if (full.kind === 'page' && this.refusal) {
      this.refusal = undefined;
      this.log.info('the upstream accepts the full events query again');
    }
    if (full.kind !== 'refused') return pageOf(full, 'full');
    const plain = await this.ask('plain', place);
    if (plain.kind === 'page') this.refuse(full.reason);
    return plain.kind === 'refused' ? pageOf(full, 'full') : pageOf(plain, 'plain');
  }

  private refuse(reason: string): void {
    this.refusal = { reason, triedAgainAt: this.now() + REFUSED_MS };
    this.log.warn(
      { reason, triedAgainInMs: REFUSED_MS },
      'the upstream refuses the full events query; events are read without their content',
    );
  }

  private async ask(tier: Tier, place: StreamPlace): Promise<EventsPage | EventsFault> {
    const context = RequestContext.background();
    const body = eventsQuery(this.schemeId, place, tier);
    const answer = await sendWithToken(
      this.tokens,
      context,
      (token) => this.send(body, token, context),
      ({ kind }) => kind === 'unauthenticated',
    );
    // if a fresh token changes nothing, what the upstream refuses is not the token
    return answer.kind === 'page' ? answer : (answer.partial ?? answer);
  }

  private async send(body: string, token: string, context: RequestContext) {
    const bounds = { bodyBytesMax: ANSWER_BYTES_MAX, cancellation: this.stopping };
    const answer = await this.graphql.send(body, graphqlHeaders(token), bounds, context);
    return readEventsAnswer(answer, this.now());
  }
}

/** @throws ReadingEnded */
function pageOf(answer: EventsPage | EventsFault, tier: Tier): TieredPage {
  if (answer.kind === 'page') return { ...answer, tier };
  const { kind, reason, retryAfterMs } = answer;
  throw new ReadingEnded(kind === 'limited' ? kind : 'failed', reason, retryAfterMs, kind === 'refused');
}
