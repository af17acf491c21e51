import { readFileSync } from 'node:fs';
import { GraphQLError, buildSchema, graphqlSync, parse, print, validate, type DefinitionNode } from 'graphql';
import { startScriptedUpstream, type ScriptedUpstream } from '../support/scripted-upstream.js';

/** The public schema with the types of events that only newer schemas have, as the playground serves it. */
export const NEWER_SDL = readFileSync('playground/schema.graphql', 'utf8');

/** The upstream's public schema, which has five types of events. */
export const PUBLIC_SDL = withoutTypes(NEWER_SDL, ['PositionProfileUpdatedEvent', 'PositionNotPostedEvent']);

const PUBLIC = buildSchema(PUBLIC_SDL);

/** A schema against which only the plain events query is valid. */
export const THIN_SDL = PUBLIC_SDL.replace('candidateApplicationProfileId', 'applicationId');

const SCHEME = 'seekAnz';
const PAGE_ITEMS_MAX = 100;
const PAGE_ITEMS = 10;

/** Identifiers that an event of each type carries besides those of every event. */
const ID_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  CandidateApplicationCreated: ['candidateId', 'candidateApplicationProfileId'],
  CandidateProfilePurchased: ['candidateProfileId'],
  HirerRelationshipChanged: [],
  PositionProfilePosted: ['positionProfileId'],
  PositionProfileUpdated: ['positionProfileId'],
  PositionProfileClosed: ['positionProfileId'],
  PositionNotPosted: ['reasonId', 'seekPartnerPositionId'],
};

/** An event of the stream. */
export interface CannedEvent {
  readonly id: string;
  readonly typeCode: string;
  readonly hirerId: string;
  readonly createDateTime: string;
  readonly ids: Readonly<Record<string, string>>;
}

/**
 * An upstream that serves a public schema with canned events. It knows no more of the service than the schema says, and
 * refuses an operation that is not valid against it.
 */
export class PublicUpstream {
  /** Settings that point a service at it. */
  readonly settings: Readonly<Record<string, string>>;
  /** Hirers whose relationship with the partner has ended: what hangs on them is null, with `FORBIDDEN`. */
  readonly unrelated = new Set<string>();
  readonly events: CannedEvent[] = [];
  /** A second hirer that every position names. */
  alsoOf: string | undefined;
  private schema = PUBLIC;

  private constructor(private readonly upstream: ScriptedUpstream) {
    this.settings = { UPSTREAM_URL: upstream.url };
    upstream.before = (call, response) => {
      const { query } = JSON.parse(call.body) as { query: string };
      const faults = validate(this.schema, parse(query)).map(({ message }) => message);
      if (faults.length === 0) return false;
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(refusals(faults)));
      return true;
    };
    upstream.script = ({ query, variables }) => {
      const rootValue = { events: (place: Place) => this.page(place) };
      return JSON.stringify(
        graphqlSync({ schema: this.schema, source: query, variableValues: variables, rootValue }),
      );
    };
  }

  static async start(): Promise<PublicUpstream> {
    return new PublicUpstream(await startScriptedUpstream());
  }

  /** The text of every operation, in order. */
  get operations(): string[] {
    return this.upstream.calls.map(({ body }) => body.query);
  }

  /** Serves another schema from now on. */
  serve(sdl: string): void {
    this.schema = buildSchema(sdl);
  }

  /** As after its start. */
  reset(): void {
    this.schema = PUBLIC;
    this.unrelated.clear();
    this.events.length = 0;
    this.alsoOf = undefined;
    this.upstream.calls.length = 0;
  }

  /** Adds an event to the end of the stream. */
  emit(typeCode: string, hirerId: string, createdMs = Date.now()): CannedEvent {
    const number = this.events.length + 1;
    const ids = ID_MEMBERS[typeCode]!.map((name) => [name, `${SCHEME}:${name}:${number}`] as const);
    const event = {
      id: `${SCHEME}:event:events:${number}`,
      typeCode,
      hirerId,
      createDateTime: new Date(createdMs).toISOString(),
      ids: Object.fromEntries(ids),
    };
    this.events.push(event);
    return event;
  }

  private page({ schemeId, after, first = PAGE_ITEMS, filter }: Place) {
    if (schemeId !== SCHEME || first > PAGE_ITEMS_MAX) throw refusal('BAD_USER_INPUT', 'no such page');
    const afterMs = Date.parse(filter?.afterDateTime ?? '1970-01-01');
    const start = Number(after ?? 0);
    if (Number.isNaN(start)) throw refusal('BAD_USER_INPUT', 'no such cursor');
    const found = this.events
      .map((event, index) => ({ event, cursor: String(index + 1) }))
      .slice(start)
      .filter(({ event }) => Date.parse(event.createDateTime) > afterMs);
    const edges = found.slice(0, first).map(({ event, cursor }) => ({
      cursor,
      streamDateTime: event.createDateTime,
      node: this.nodeOf(event),
    }));
    const pageInfo = { endCursor: edges.at(-1)?.cursor ?? after, hasNextPage: found.length > edges.length };
    return { edges, pageInfo: { ...pageInfo, hasPreviousPage: start > 0 } };
  }

  private nodeOf({ id, typeCode, hirerId, createDateTime, ids }: CannedEvent) {
    const ofHirer = <T>(value: T) => {
      return (): T => {
        if (this.unrelated.has(hirerId)) throw refusal('FORBIDDEN', 'not related to this hirer');
        return value;
      };
    };
    const hirer = { id: { value: hirerId }, name: 'A hirer' };
    const second = this.alsoOf === undefined ? [] : [{ ...hirer, id: { value: this.alsoOf } }];
    const positionProfile = {
      __typename: 'PostedPositionProfile',
      positionOrganizations: [hirer, ...second],
    };
    return {
      __typename: `${typeCode}Event`,
      id: { value: id },
      schemeId: SCHEME,
      typeCode,
      createDateTime,
      ...ids,
      hirerId,
      hirer: ofHirer(hirer),
      positionProfile: ofHirer(positionProfile),
      candidateApplicationProfile: ofHirer({ associatedPositionProfile: positionProfile }),
      candidateProfile: ofHirer({ associatedPositionProfile: null }), // a purchased profile hangs on no position
    };
  }
}

/** The members of an event in a signed webhook. */
export function webhookFormOf({ id, typeCode, hirerId, createDateTime, ids }: CannedEvent) {
  return { id, type: typeCode, createDateTime, hirerId, ...ids };
}

interface Place {
  readonly schemeId: string;
  readonly after?: string;
  readonly first?: number;
  readonly filter?: { readonly afterDateTime?: string };
}

function withoutTypes(sdl: string, names: readonly string[]): string {
  const isKept = (node: DefinitionNode): boolean =>
    !('name' in node && names.includes(node.name?.value ?? ''));
  const document = parse(sdl);
  return print({ ...document, definitions: document.definitions.filter(isKept) });
}

function refusals(messages: readonly string[]): unknown {
  const code = 'GRAPHQL_VALIDATION_FAILED';
  return { errors: messages.map((message) => ({ message, extensions: { code } })) };
}

function refusal(code: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code } });
}
