import type { Cancellation } from '../../http/cancellation.js';
import { RequestContext } from '../../http/request-context.js';
import type { Check } from '../../telemetry/health.js';
import type { Log } from '../../telemetry/log.js';
import { sendWithToken, type TokenSource } from '../../token/token-renewal.js';
import { graphqlHeaders, type GraphqlEndpoint } from '../../upstream/graphql-endpoint.js';
import {
  eventsQuery,
  readEventsAnswer,
  type EventsAnswer,
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

/** The result of reading a page. */
export type PageAnswer = TieredPage | Exclude<EventsAnswer, EventsPage>;

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
   * Reads one page. `refused` when the upstream accepts no form, which says nothing about the forms.
   * @throws ExchangeFault when no whole answer came; BffError without a partner token
   */
  async read(place: StreamPlace): Promise<PageAnswer> {
    if (this.refusal && this.now() < this.refusal.triedAgainAt) return this.ask('plain', place);
    const full = await this.ask('full', place);
    if (full.kind === 'page' && this.refusal) {
      this.refusal = undefined;
      this.log.info('the upstream accepts the full events query again');
    }
    if (full.kind !== 'refused') return full;
    const plain = await this.ask('plain', place);
    if (plain.kind === 'refused') return full;
    if (plain.kind === 'page') this.refuse(full.reason);
    return plain;
  }

  private refuse(reason: string): void {
    this.refusal = { reason, triedAgainAt: this.now() + REFUSED_MS };
    this.log.warn(
      { reason, triedAgainInMs: REFUSED_MS },
      'the upstream refuses the full events query; events are read without their content',
    );
  }

  private async ask(tier: Tier, place: StreamPlace): Promise<PageAnswer> {
    const context = RequestContext.background();
    const body = eventsQuery(this.schemeId, place, tier);
    const given = await sendWithToken(
      this.tokens,
      context,
      (token) => this.send(body, token, context),
      ({ kind }) => kind === 'unauthenticated',
    );
    // if a fresh token changes nothing, what the upstream refuses is not the token
    const answer = given.kind === 'unauthenticated' && given.partial ? given.partial : given;
    return answer.kind === 'page' ? { ...answer, tier } : answer;
  }

  private async send(body: string, token: string, context: RequestContext): Promise<EventsAnswer> {
    const bounds = { bodyBytesMax: ANSWER_BYTES_MAX, cancellation: this.stopping };
    const answer = await this.graphql.send(body, graphqlHeaders(token), bounds, context);
    return readEventsAnswer(answer, this.now());
  }
}
