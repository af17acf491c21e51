import { randomBytes, randomUUID } from 'node:crypto';
import type { World } from '../data/world.js';
import type { EventMaker } from '../happenings/event-maker.js';
import type { AdLifecycle } from '../happenings/ad-lifecycle.js';
import type { Applications } from '../happenings/applications.js';
import type { EventFeed } from '../happenings/event-feed.js';
import type { PartnerClient } from '../issuer/token-request.js';
import type { Seeding } from '../seeding/seeding.js';
import type { PartnerState } from '../state/state-file.js';
import type { Credential } from '../tokens/tokens.js';
import type { Webhooks } from '../webhooks/webhooks.js';

/** One partner: its client at the issuer, and its own copy of the data. Partners are isolated from each other. */
export interface Partner {
  readonly client: PartnerClient;
  /** Signs webhooks to subscriptions that name no secret. */
  readonly webhookSecret: string;
  /** The data; generated on first access. */
  readonly world: () => World;
  readonly webhooks: Webhooks;
  readonly feed: EventFeed;
  readonly ads: AdLifecycle;
  readonly applications: Applications;
  readonly events: EventMaker;
  readonly seed: Seeding;
  /** The data to keep across a restart; nothing while they have not been generated. */
  readonly dump: () => Pick<PartnerState, 'world'>;
}

/** Every partner by its client id; there is at least one. */
export class Partners {
  private readonly byId: ReadonlyMap<string, Partner>;
  /** The partner that is meant where none is named. */
  readonly first: Partner;

  /** @throws RangeError when two have the same client id, or one has none */
  constructor(list: readonly [Partner, ...Partner[]]) {
    this.byId = new Map(list.map((partner) => [partner.client.clientId, partner]));
    this.first = list[0];
    if (this.byId.size === list.length && !this.byId.has('')) return;
    throw new RangeError('Each partner needs its own client id.');
  }

  list(): Partner[] {
    return [...this.byId.values()];
  }

  clients(): PartnerClient[] {
    return this.list().map(({ client }) => client);
  }

  find(clientId: string): Partner | undefined {
    return this.byId.get(clientId);
  }

  /** The partner whose token a caller holds; the first one for any other caller. */
  of(credential: Credential): Partner {
    const clientId = 'token' in credential ? credential.token.partnerId : undefined;
    return (clientId === undefined ? undefined : this.byId.get(clientId)) ?? this.first;
  }
}

/** A client with the given members, and random credentials otherwise. */
export function makeClient(given: Partial<PartnerClient> = {}): PartnerClient {
  return {
    clientId: `playground-${randomUUID()}`,
    clientSecret: randomBytes(32).toString('base64url'),
    audience: 'https://test.graphql.playground.example',
    ...given,
  };
}
