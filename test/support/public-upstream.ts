import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import {
  GraphQLError,
  buildSchema,
  graphqlSync,
  parse,
  print,
  validate,
  type DefinitionNode,
  type GraphQLSchema,
  Kind,
  visit,
  type FieldDefinitionNode,
} from 'graphql';
import { startJsonServer, type ReceivedRequest } from './json-server.js';

/** The public schema with the types of events that only newer schemas have, as the playground serves it. */
export const NEWER_SDL = readFileSync('playground/schema.graphql', 'utf8');

/** The upstream's public schema, which has five types of events. */
export const PUBLIC_SDL = withoutTypes(NEWER_SDL, ['PositionProfileUpdatedEvent', 'PositionNotPostedEvent']);

/** A schema against which only the plain events query is valid. */
export const THIN_SDL = PUBLIC_SDL.replace('candidateApplicationProfileId', 'applicationId');

const SCHEME = 'seekAnz';
const TOKEN = 'partner-token';
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
 * An upstream and issuer that serve a public schema with canned events. It knows no more of the service than the schema
 * says, and refuses an operation that is not valid against it.
 */
export class PublicUpstream {
  /** Settings that point a service at it. */
  readonly settings: Readonly<Record<string, string>>;
  /** The text of every operation, in order. */
  readonly operations: string[] = [];
  /** Hirers whose relationship with the partner has ended: what hangs on them is null, with `FORBIDDEN`. */
  readonly unrelated = new Set<string>();
  readonly events: CannedEvent[] = [];
  /** A second hirer that every position names. */
  alsoOf: string | undefined;
  private answersLeft = Infinity;
  private schema: GraphQLSchema;

  private constructor(
    origin: string,
    readonly close: () => Promise<void>,
  ) {
    this.schema = buildSchema(PUBLIC_SDL);
    this.settings = {
      UPSTREAM_URL: origin,
      ISSUER_TOKEN_URL: `${origin}/oauth/token`,
      PARTNER_CLIENT_ID: 'partner',
      PARTNER_CLIENT_SECRET: 'a-secret-of-the-partner',
      EVENTS_SCHEME_ID: SCHEME,
    };
  }

  static async start(): Promise<PublicUpstream> {
    const server = await startJsonServer((call, response) => upstream.answer(call, response));
    const upstream = new PublicUpstream(server.url.origin, () => server.close());
    return upstream;
  }

  /** Serves another schema from now on. */
  serve(sdl: string): void {
    this.schema = buildSchema(sdl);
  }

  /** Answers that many operations from now on, and fails at each after them. */
  failAfter(answers: number): void {
    this.answersLeft = answers;
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

  private answer({ url, headers, body }: ReceivedRequest, response: ServerResponse): void {
    const [status, value] = url === '/oauth/token' ? issue() : this.run(headers.authorization, body);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  }

  private run(authorization: string | undefined, body: string): [status: number, answer: unknown] {
    const { query, variables } = JSON.parse(body) as { query: string; variables: Record<string, unknown> };
    this.operations.push(query);
    this.answersLeft -= 1;
    if (this.answersLeft < 0) return [500, {}];
    if (authorization !== `Bearer ${TOKEN}`) {
      return [200, errors('UNAUTHENTICATED', ['no token of the partner'])];
    }
    const faults = validate(this.schema, parse(query)).map(({ message }) => message);
    if (faults.length > 0) return [400, errors('GRAPHQL_VALIDATION_FAILED', faults)];
    const rootValue = { events: (place: Place) => this.page(place) };
    return [200, graphqlSync({ schema: this.schema, source: query, variableValues: variables, rootValue })];
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

function issue(): [status: number, answer: unknown] {
  return [200, { access_token: TOKEN, expires_in: 1_800, token_type: 'Bearer' }];
}

function errors(code: string, messages: readonly string[]): unknown {
  return { errors: messages.map((message) => ({ message, extensions: { code } })) };
}

function refusal(code: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code } });
}

/**
 * SDL with a change to every field of that name, as an upstream would make it.
 * @param types those whose field is changed; all without
 */
export function changeFields(
  sdl: string,
  name: string,
  change: 'remove' | 'deprecate',
  types?: readonly string[],
): string {
  let isInside = false;
  const changed = (node: FieldDefinitionNode): FieldDefinitionNode | null =>
    change === 'remove' ? null : { ...node, directives: [DEPRECATED] };
  return print(
    visit(parse(sdl), {
      enter: (node) => {
        if (node.kind === Kind.OBJECT_TYPE_DEFINITION || node.kind === Kind.INTERFACE_TYPE_DEFINITION) {
          isInside = !types || types.includes(node.name.value);
        }
        if (node.kind !== Kind.FIELD_DEFINITION || !isInside || node.name.value !== name) return undefined;
        return changed(node);
      },
    }),
  );
}

const DEPRECATED = { kind: Kind.DIRECTIVE, name: { kind: Kind.NAME, value: 'deprecated' } } as const;
