import { readFileSync } from 'node:fs';
import type { GraphQLCompositeType, GraphQLField, GraphQLNamedType, GraphQLSchema } from 'graphql';
import type { World } from '../data/world.js';
import { graphql } from '../graphql/graphql-packages.js';
import type { Webhooks } from '../webhooks/webhooks.js';

/** One operation of the schema, ready to be sent. */
export interface Example {
  readonly name: string;
  readonly kind: 'query' | 'mutation';
  readonly description: string;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

type Variables = Example['variables'];
type Fields = readonly GraphQLField<unknown, unknown>[];

/** Variables by operation. `{{name}}` stands for one of the {@link exampleObjects}. */
const VARIABLES = readFileSync(new URL('./examples.json', import.meta.url), 'utf8');
const HIRER = 'seekAnzPublicTest:organization:seek:93WyyF1h';
const LIVE_AD = 'seekAnzPublicTest:positionProfile:jobAd:2782PZfXV';
const UPLOADED = 'globalPublicTest:candidate:uploaded:12uNaG7vqgW6G1jG7qp7ha';
const DEPTH_MAX = 4;

/** An example of every operation of the schema. */
export function makeExamples(schema: GraphQLSchema, world: World, webhooks: Webhooks): Example[] {
  const objects = exampleObjects(world, webhooks);
  const known = JSON.parse(
    VARIABLES.replace(/\{\{(\w+)\}\}/g, (_, name: string) => objects[name as keyof typeof objects]),
  ) as Record<string, Variables>;
  const examplesOf = (kind: Example['kind']): Example[] => {
    const type = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
    return Object.values(type?.getFields() ?? {}).map((field) => {
      const variables = known[field.name] ?? {};
      const query = makeDocument(schema, kind, field, variables);
      return { name: field.name, kind, description: field.description ?? '', query, variables };
    });
  };
  return [...examplesOf('query'), ...examplesOf('mutation')];
}

/** Identifiers that differ from one world to the next: most are of objects of the demo's first hirer. */
export function exampleObjects(world: World, webhooks: Webhooks) {
  const isOwn = ({ hirerId }: { readonly hirerId: string }): boolean => hirerId === HIRER;
  const openings = [...world.openings.values()].filter(isOwn);
  const profiles = [...world.positionProfiles.values()].filter(isOwn);
  const uploadedProfile = world.candidates.get(UPLOADED)?.profileIds[0] ?? '';
  const [subscription] = webhooks.subscriptions.values();
  const events = world.events.since(0);
  return {
    postedOpening: world.positionProfiles.get(LIVE_AD)?.openingId ?? '',
    emptyOpening: openings.find(({ profileIds }) => profileIds.length === 0)?.id ?? '',
    unposted: profiles.find(({ ad }) => ad === null)?.id ?? '',
    uploadedProfile,
    step: world.stepsOf(uploadedProfile)[0]?.id ?? '',
    subscription: subscription?.id ?? 'seekAnzPublicTest:webhookSubscription:events:none',
    event: events.at(-1)?.id ?? '',
    subscribedEvent: events.findLast(({ type }) => type === subscription?.eventTypeCode)?.id ?? '',
  };
}

/** The text of an operation on one root field, with the variables given and a selection of everything close to it. */
export function makeDocument(
  schema: GraphQLSchema,
  kind: Example['kind'],
  field: GraphQLField<unknown, unknown>,
  variables: Variables,
): string {
  const used = field.args.filter(({ name }) => name in variables);
  const inBrackets = (parts: string[]): string => (parts.length === 0 ? '' : `(${parts.join(', ')})`);
  const declared = inBrackets(used.map(({ name, type }) => `$${name}: ${String(type)}`));
  const passed = inBrackets(used.map(({ name }) => `${name}: $${name}`));
  const name = field.name.charAt(0).toUpperCase() + field.name.slice(1);
  const selection = selectionOf(schema, graphql.getNamedType(field.type), 1, []) ?? '';
  return `${graphql.print(graphql.parse(`${kind} ${name}${declared} { ${field.name}${passed} ${selection} }`))}\n`;
}

/** Null where there is nothing to select. No type is entered twice on the way down, so that cycles in the schema end. */
function selectionOf(
  schema: GraphQLSchema,
  type: GraphQLNamedType,
  depth: number,
  above: readonly GraphQLNamedType[],
): string | null {
  if (graphql.isLeafType(type)) return '';
  if (depth > DEPTH_MAX || above.includes(type)) return null;
  const composite = type as GraphQLCompositeType;
  const shared = graphql.isUnionType(composite) ? {} : composite.getFields();
  const parts = fieldsOf(schema, Object.values(shared), depth, [...above, type]);
  for (const member of graphql.isAbstractType(composite) ? schema.getPossibleTypes(composite) : []) {
    const own = Object.values(member.getFields()).filter(({ name }) => !(name in shared));
    const fields = fieldsOf(schema, own, depth + 1, [...above, type, member]);
    if (fields.length > 0) parts.push(`... on ${member.name} { ${fields.join(' ')} }`);
  }
  if (graphql.isAbstractType(composite)) parts.unshift('__typename');
  return parts.length === 0 ? null : `{ ${parts.join(' ')} }`;
}

function fieldsOf(
  schema: GraphQLSchema,
  fields: Fields,
  depth: number,
  above: readonly GraphQLNamedType[],
): string[] {
  return fields.flatMap(({ name, type, args, deprecationReason }) => {
    if (deprecationReason != null || args.some(graphql.isRequiredArgument)) return [];
    const selection = selectionOf(schema, graphql.getNamedType(type), depth + 1, above);
    return selection === null ? [] : [`${name} ${selection}`];
  });
}
