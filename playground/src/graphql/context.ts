import type { Locale } from '../data/ontologies.js';
import type { World } from '../data/world.js';
import type { AdLifecycle } from '../happenings/ad-lifecycle.js';
import type { EventFeed } from '../happenings/event-feed.js';
import type { Faults } from '../faults/faults.js';
import type { Switches } from '../switches.js';
import type { Credential } from '../tokens/tokens.js';
import type { Webhooks } from '../webhooks/webhooks.js';
import type { Mutation_Arguments, Query_Arguments } from './arguments.js';

/** The context of every resolver: the data, the time and the caller. */
export interface Context {
  readonly world: World;
  readonly webhooks: Webhooks;
  readonly ads: AdLifecycle;
  /** Tells an event whose effect the data have already. */
  readonly tell: EventFeed['tell'];
  readonly now: () => number;
  readonly switches: Readonly<Switches>;
  readonly faults: Faults;
  readonly credential: Credential;
  readonly locale: Locale;
  /** Origin of the upstream, for addresses in answers. */
  readonly baseUrl: string;
  /** For the call log. */
  readonly fields: string[];
  readonly ruleBreaks: string[];
  readonly codes: string[];
  readonly startedAtMs: number;
}

type Fields<Arguments, Answer> = {
  readonly [Name in keyof Arguments]?: (args: Arguments[Name], context: Context) => Answer;
};

/** Resolvers of Query. GraphQL has already checked the arguments against the schema. */
export type QueryFields = Fields<Query_Arguments & { version: unknown; self: unknown }, unknown>;

/** Resolvers of Mutation: each checks its input, and returns the change to make, which returns the payload. */
export type MutationFields = Fields<Mutation_Arguments & { _empty: unknown }, () => unknown>;

/** Resolvers of the fields of object types, by type and field; `__typename` of an interface or a union names the type. */
export type TypeFields = Readonly<
  Record<string, Readonly<Record<string, (record: never, args: never, context: Context) => unknown>>>
>;
