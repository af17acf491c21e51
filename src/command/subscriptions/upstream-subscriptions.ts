import { CommandFault, type Output } from '../command.js';
import type { PartnerAccess } from '../partner-access.js';
import { CREATE, DELIVERY, LIST, REPLAY, REPLAYS, SIGNING } from './subscription-documents.js';

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
  readonly maxEvents: number | undefined;
}

/** Past events to deliver again: by id, or of a time. */
export type ReplayWish =
  | { readonly eventIds: readonly string[] }
  | {
      readonly since: string;
      readonly until: string;
      /** Whether to deliver again what was delivered. */
      readonly delivered: boolean;
      readonly hirerId: string | undefined;
    };

/** A replay that is not over. */
export interface RunningReplay {
  readonly since: string | undefined;
  readonly until: string | undefined;
  readonly delivered: boolean | undefined;
  readonly hirerId: string | undefined;
  readonly eventIds: readonly string[] | undefined;
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
    return nodes.map(readSubscription);
  }

  /** @returns false if there is an equal one, which somebody else has made meanwhile */
  async create({ type, url, hirerId, maxEvents }: WantedSubscription, secret: string): Promise<boolean> {
    const webhookSubscription = {
      eventTypeCode: type,
      schemeId: this.schemeId,
      url,
      signingAlgorithmCode: SIGNED,
      secret,
      ...(hirerId !== null && { hirerId }),
      ...(maxEvents !== undefined && { maxEventsPerAttempt: maxEvents }),
    };
    const data = await this.graphql.run(CREATE, { input: { webhookSubscription } });
    return !isConflict(data['createWebhookSubscription']);
  }

  /** @returns false if there is an equal subscription to this URL already */
  async deliver(id: string, url: string, maxEvents: number): Promise<boolean> {
    const webhookSubscription = { id, url, maxEventsPerAttempt: maxEvents };
    const data = await this.graphql.run(DELIVERY, { input: { webhookSubscription } });
    return !isConflict(data['updateWebhookSubscriptionDeliveryConfiguration']);
  }

  async sign(id: string, secret: string): Promise<void> {
    const webhookSubscription = { id, signingAlgorithmCode: SIGNED, secret };
    await this.graphql.run(SIGNING, { input: { webhookSubscription } });
  }

  async replay(id: string, wish: ReplayWish): Promise<void> {
    const webhookSubscription = { id };
    const input = 'eventIds' in wish ? { eventIds: wish.eventIds } : { filter: filterOf(wish) };
    await this.graphql.run(REPLAY, { input: { webhookSubscription, ...input } });
  }

  async runningReplays(id: string): Promise<RunningReplay[]> {
    const lists = await Promise.all(
      ['Submitted', 'Running'].map((statusCode) =>
        this.graphql.run(REPLAYS, { id, first: PAGE_ITEMS, filter: { statusCode } }),
      ),
    );
    return lists.flatMap((data) => {
      const found = data['webhookSubscription'] as ReplaysNode | null;
      return (found?.webhookSubscriptionReplays.edges ?? []).map(({ node: { request } }) => ({
        since: request.afterDateTime,
        until: request.beforeDateTime,
        delivered: request.replayDeliveredEventsIndicator,
        hirerId: request.hirer?.id.value,
        eventIds: request.eventIds,
      }));
    });
  }

  /** Every page of a list. */
  async all<Node>(query: string, variables: object, field: string): Promise<Node[]> {
    const nodes: Node[] = [];
    let after: string | undefined;
    for (;;) {
      const cursor = after === undefined ? {} : { after };
      const data = await this.graphql.run(query, { ...variables, first: PAGE_ITEMS, ...cursor });
      const list = data[field] as Connection<Node> | null | undefined;
      if (!list) throw new CommandFault(`The upstream answered without ${field}.`);
      const { edges, pageInfo } = list;
      nodes.push(...edges.map(({ node }) => node));
      if (!pageInfo.hasNextPage || pageInfo.endCursor === null || pageInfo.endCursor === after) return nodes;
      after = pageInfo.endCursor;
    }
  }
}

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

interface ReplaysNode {
  readonly webhookSubscriptionReplays: {
    readonly edges: readonly {
      readonly node: {
        readonly request: {
          readonly afterDateTime?: string;
          readonly beforeDateTime?: string;
          readonly replayDeliveredEventsIndicator?: boolean;
          readonly hirer?: { readonly id: { readonly value: string } } | null;
          readonly eventIds?: string[];
        };
      };
    }[];
  };
}

function readSubscription(node: SubscriptionNode): Subscription {
  return {
    id: node.id.value,
    type: node.eventTypeCode,
    url: node.url,
    hirerId: node.hirerId?.value ?? null,
    isSigned: node.signingAlgorithmCode === SIGNED,
    maxEvents: node.maxEventsPerAttempt,
  };
}

function isConflict(payload: unknown): boolean {
  return (payload as { __typename?: string } | null)?.__typename?.endsWith('_Conflict') === true;
}

/** What is not given is left out (interface 4.3). */
function filterOf({ since, until, delivered, hirerId }: Extract<ReplayWish, { readonly since: string }>) {
  return {
    createdAfterDateTime: since,
    createdBeforeDateTime: until,
    replayDeliveredEventsIndicator: delivered,
    ...(hirerId !== undefined && { hirerId }),
  };
}

/** A subscription as a row: tabs between its members. */
export function rowOf({ type, hirerId, id, url, isSigned, maxEvents }: Subscription): string {
  return [type, hirerId ?? 'every hirer', isSigned ? 'signed' : 'unsigned', maxEvents, url, id].join('\t');
}

/** Which subscriptions a command is for. */
export interface Selection {
  readonly url?: string | undefined;
  readonly types?: readonly string[] | undefined;
  readonly hirer?: string | undefined;
  readonly subscription?: string | undefined;
}

/** Those that match the options of a command; all without any. */
export function select(
  subscriptions: readonly Subscription[],
  { url, types, hirer, subscription }: Selection,
): Subscription[] {
  return subscriptions.filter(
    (one) =>
      (url === undefined || one.url === url) &&
      (types === undefined || types.includes(one.type)) &&
      (hirer === undefined || one.hirerId === hirer) &&
      (subscription === undefined || one.id === subscription),
  );
}

/** What a subcommand works with. */
export interface SubscriptionsContext extends Output {
  readonly upstream: UpstreamSubscriptions;
  /** `WEBHOOK_SECRETS`, by which the service verifies webhooks. */
  readonly secrets: readonly string[];
  /** Epoch milliseconds. */
  readonly now: () => number;
}
