import type { Cancellation } from '../../http/cancellation.js';
import { RequestContext } from '../../http/request-context.js';
import type { Check } from '../../telemetry/health.js';
import type { Log } from '../../telemetry/log.js';
import { useToken, type TokenSource } from '../../token/use-token.js';
import { graphqlHeaders, type GraphqlEndpoint } from '../../upstream/graphql-endpoint.js';
import {
  eventsQuery,
  readEventsAnswer,
  type EventsAnswer,
  type EventsPage,
  type QueryForm,
  type StreamPlace,
  type Tier,
} from './events-query.js';
import { QueryForms, REFUSED_MS } from './query-forms.js';

const ANSWER_BYTES_MAX = 4_194_304;

/** A page, and how much of its events was asked for. */
export interface TieredPage extends EventsPage {
  readonly tier: Tier;
}

/** The result of reading a page. */
export type PageAnswer = TieredPage | Exclude<EventsAnswer, EventsPage>;

/**
 * Reads pages of the upstream's events with the partner token, in the fullest form of the query that the upstream
 * accepts.
 */
export class EventPages {
  private readonly forms: QueryForms;

  constructor(
    private readonly schemeId: string,
    private readonly graphql: Pick<GraphqlEndpoint, 'send'>,
    private readonly tokens: TokenSource,
    private readonly log: Log,
    private readonly now: () => number,
    private readonly stopping: Cancellation,
    pollMs: number,
  ) {
    this.forms = new QueryForms(now, pollMs);
  }

  /** The fullest tier that the upstream has accepted lately. */
  get tier(): Tier {
    return this.forms.tier;
  }

  /** For `/readyz`. */
  check(): Check {
    const { refusal, tier } = this.forms;
    if (!refusal) return { state: 'up' };
    const again = new Date(refusal.triedAgainAt).toISOString();
    const reason = `the upstream refuses the full events query; events are read as "${tier}" until ${again}`;
    return { state: 'degraded', reason };
  }

  /**
   * Reads one page. `refused` when the upstream accepts no form, which says nothing about the forms.
   * @throws ExchangeFault when no whole answer came; BffError without a partner token
   */
  async read(place: StreamPlace): Promise<PageAnswer> {
    let refusal: string | undefined;
    for (const form of this.forms.toTry()) {
      const answer = await this.ask(form, place);
      if (answer.kind === 'page') {
        this.accept(form, refusal);
        return this.extend(form, answer, place);
      }
      if (answer.kind !== 'refused') return answer;
      refusal ??= answer.reason;
    }
    return { kind: 'refused', reason: refusal! };
  }

  /** Asks for a page again if it has events of types that the query can name and did not. */
  private async extend(form: QueryForm, page: EventsPage, place: StreamPlace): Promise<PageAnswer> {
    const found = page.events.map(({ type }) => type);
    const extended = this.forms.extend(form, found);
    if (!extended) return { ...page, tier: form.tier };
    const answer = await this.ask(extended, place);
    if (answer.kind === 'page') {
      this.accept(extended, undefined);
      return { ...answer, tier: form.tier };
    }
    if (answer.kind !== 'refused') return answer;
    this.forms.refuseTypes(form, extended);
    const types = extended.newerTypes;
    this.log.warn({ types, reason: answer.reason }, 'events of newer types are read without their content');
    return { ...page, tier: form.tier };
  }

  private accept(form: QueryForm, reason: string | undefined): void {
    const before = this.forms.tier;
    this.forms.accept(form, reason);
    if (form.tier === before) return;
    if (form.tier === 'full') {
      this.log.info('the upstream accepts the full events query again');
    } else {
      this.log.warn(
        { tier: form.tier, reason, triedAgainInMs: REFUSED_MS },
        'the upstream refuses the full events query; events are read with fewer members',
      );
    }
  }

  private async ask(form: QueryForm, place: StreamPlace): Promise<EventsAnswer> {
    const context = RequestContext.background();
    const body = eventsQuery(this.schemeId, place, form);
    const answer = await useToken(this.tokens, context, {
      send: (token) => this.send(body, token, context),
      isRefused: ({ kind }) => kind === 'unauthenticated',
    });
    // if a fresh token changes nothing, what the upstream refuses is not the token
    return answer.kind === 'unauthenticated' && answer.partial ? answer.partial : answer;
  }

  private async send(body: string, token: string, context: RequestContext): Promise<EventsAnswer> {
    const bounds = { bodyBytesMax: ANSWER_BYTES_MAX, cancellation: this.stopping };
    const answer = await this.graphql.send(body, graphqlHeaders(token), bounds, context);
    return readEventsAnswer(answer, this.now());
  }
}
