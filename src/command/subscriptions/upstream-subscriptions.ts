import { splitList } from '../../config/values/setting.js';
import { EVENT_TYPES } from '../../webhooks/webhook-event.js';
import { CommandFault, type Output } from '../command.js';
import type { PartnerAccess } from '../partner-access.js';
import { TEXT, type Values } from '../read-arguments.js';
import { CREATE, DELIVERY, LIST, REPLAY, SIGNING } from './subscription-documents.js';

/** A webhook subscription as the upstream has it (interface 13). */
export interface Subscription {
  readonly id: string;
  readonly type: string;
  readonly url: string;
  /** Null for events of every related hirer. */
  readonly hirerId: string | null;
  readonly isSigned: boolean;
  readonly maxEvents: number;
}

/** A subscription to create. */
export interface WantedSubscription {
  readonly type: string;
  readonly url: string;
  readonly hirerId: string | null;
}

/** The events to replay: by id, or those of a period. */
export type ReplayInput =
  | { readonly eventIds: readonly string[] }
  | {
      readonly filter: {
        readonly createdAfterDateTime: string;
        readonly createdBeforeDateTime: string;
        /** True to include events that were delivered. */
        readonly replayDeliveredEventsIndicator: boolean;
        /** Left out (interface 4.3) for every hirer of the subscription. */
        readonly hirerId?: string;
      };
    };

interface Connection<Node> {
  readonly edges: readonly { readonly node: Node }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

interface SubscriptionNode {
  readonly id: { readonly value: string };
  readonly eventTypeCode: string;
  readonly url: string;
  readonly hirerId: { readonly value: string } | null;
  readonly signingAlgorithmCode: string;
  readonly maxEventsPerAttempt: number;
}

const SIGNED = 'SeekHmacSha512';
const PAGE_ITEMS = 100;

/** The webhook subscriptions of a scheme at the upstream. */
export class UpstreamSubscriptions {
  constructor(
    private readonly graphql: Pick<PartnerAccess, 'run'>,
    private readonly schemeId: string,
  ) {}

  async list(): Promise<Subscription[]> {
    const nodes = await this.all<SubscriptionNode>(LIST, { schemeId: this.schemeId }, 'webhookSubscriptions');
    return nodes.map((node) => ({
      id: node.id.value,
      type: node.eventTypeCode,
      url: node.url,
      hirerId: node.hirerId?.value ?? null,
      isSigned: node.signingAlgorithmCode === SIGNED,
      maxEvents: node.maxEventsPerAttempt,
    }));
  }

  /** @returns false if there is an equal one, which somebody else has made meanwhile */
  create({ type, url, hirerId }: WantedSubscription, secret: string): Promise<boolean> {
    return this.change(CREATE, {
      eventTypeCode: type,
      schemeId: this.schemeId,
      url,
      signingAlgorithmCode: SIGNED,
      secret,
      ...(hirerId !== null && { hirerId }),
    });
  }

  /** @returns false if there is an equal subscription to this URL already */
  deliver(id: string, url: string, maxEvents: number): Promise<boolean> {
    return this.change(DELIVERY, { id, url, maxEventsPerAttempt: maxEvents });
  }

  async sign(id: string, secret: string): Promise<void> {
    await this.change(SIGNING, { id, signingAlgorithmCode: SIGNED, secret });
  }

  async replay(id: string, wish: ReplayInput): Promise<void> {
    await this.change(REPLAY, { id }, wish);
  }

  /** Every page of a list. */
  async all<Node>(query: string, variables: object, field: string): Promise<Node[]> {
    type Answer = Record<string, Connection<Node> | null | undefined>;
    const nodes: Node[] = [];
    let after: string | undefined;
    for (;;) {
      const cursor = after === undefined ? {} : { after };
      const data = await this.graphql.run<Answer>(query, { ...variables, first: PAGE_ITEMS, ...cursor });
      const list = data[field];
      if (!list) throw new CommandFault(`The upstream answered without ${field}.`);
      const { edges, pageInfo } = list;
      nodes.push(...edges.map(({ node }) => node));
      if (!pageInfo.hasNextPage || pageInfo.endCursor === null || pageInfo.endCursor === after) return nodes;
      after = pageInfo.endCursor;
    }
  }

  /** @returns false for a conflict with another subscription */
  private async change(mutation: string, webhookSubscription: object, more = {}): Promise<boolean> {
    type Answer = Record<string, { readonly __typename?: string } | null>;
    const data = await this.graphql.run<Answer>(mutation, { input: { webhookSubscription, ...more } });
    return !Object.values(data).some((payload) => payload?.__typename?.endsWith('_Conflict'));
  }
}

/** A subscription as a row: tabs between its members. */
export function rowOf({ type, hirerId, id, url, isSigned, maxEvents }: Subscription): string {
  return [type, hirerId ?? 'every hirer', isSigned ? 'signed' : 'unsigned', maxEvents, url, id].join('\t');
}

/** Which subscriptions a subcommand is for; all without any. */
export const CHOICE = { url: TEXT, types: TEXT, hirer: TEXT, subscription: TEXT, scheme: TEXT } as const;

/** Those that match a choice. */
export function select(
  subscriptions: readonly Subscription[],
  { url, types, hirer, subscription }: Values<typeof CHOICE>,
): Subscription[] {
  const chosen = types === undefined ? undefined : typesOf(types);
  return subscriptions.filter(
    (one) =>
      (url === undefined || one.url === url) &&
      (chosen === undefined || chosen.includes(one.type)) &&
      (hirer === undefined || one.hirerId === hirer) &&
      (subscription === undefined || one.id === subscription),
  );
}

/** The types of a list; `all` are the documented ones. */
export function typesOf(list: string): string[] {
  const names = splitList(list);
  return [...new Set(names.flatMap((name) => (name === 'all' ? Object.keys(EVENT_TYPES) : [name])))];
}

/** The context of a subcommand. */
export interface SubscriptionsContext extends Output {
  readonly upstream: UpstreamSubscriptions;
  /** `WEBHOOK_SECRETS`, by which the service verifies webhooks. */
  readonly secrets: readonly string[];
  /** Epoch milliseconds. */
  readonly now: () => number;
}
