import { EVENT_TYPES, type DocumentedEvent, type DocumentedType } from './event-types.js';

/** A JSON Schema (2020-12), or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const DELIVERY_SCHEMA_ID = 'urn:partner-bff:schema:event-delivery';

/** The data of the operation that goes with the events of a type. */
interface ObjectSchema {
  /** The name of the operation. */
  readonly operation: string;
  readonly schema: JsonSchema;
}

/** By documented type of event. */
export type ObjectSchemas = Readonly<Partial<Record<DocumentedType, ObjectSchema>>>;

const COMMON = {
  id: text('The identifier that the upstream gave the event.'),
  type: text('As the upstream sent it.'),
  createDateTime: text('When it happened, as the upstream sent it: ISO 8601, in UTC.'),
  hirerId: text('The hirer that the event is of. Missing where the upstream does not tell.'),
  redeliveryOf: text(
    'The `webhook-id` of the first delivery, where an operator had the event redelivered as new.',
  ),
};
const OBJECT_ERRORS = {
  description: 'Why the object, or a part of it, is missing.',
  type: 'array',
  items: {
    type: 'object',
    required: ['code'],
    properties: {
      code: text('Such as `FORBIDDEN`.'),
      path: { type: 'array', items: { type: ['string', 'integer'] } },
    },
  },
};

/**
 * The JSON Schema of what is delivered to the event sink: one form for each documented type, told apart by `type`, and
 * one for all others. No identifier is required, because an event may have been read in a form without them.
 * @param objects the data of the operation that goes with each type, by the type
 */
export function deliverySchema(objects: ObjectSchemas = {}): JsonSchema {
  const types = Object.keys(EVENT_TYPES) as DocumentedType[];
  const documented = types.map((type) => [type, documentedForm(type, EVENT_TYPES[type], objects[type])]);
  const data = Object.values(objects).map(({ operation, schema }) => [`${operation}Data`, schema]);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: DELIVERY_SCHEMA_ID,
    title: 'Event delivery',
    description: 'The body of a request to the event sink. Members that are not named here may be added.',
    type: 'object',
    required: ['type', 'timestamp', 'data'],
    oneOf: [...types, 'OtherEvent'].map(reference),
    $defs: Object.fromEntries([...documented, ['OtherEvent', otherForm(types)], ...data]),
  };
}

function documentedForm(
  type: string,
  { about, members }: DocumentedEvent,
  object?: ObjectSchema,
): JsonSchema {
  const named: JsonSchema = Object.fromEntries(
    Object.entries(members).map(([name, meaning]) => [name, text(meaning)]),
  );
  return form(about, { const: type }, { ...named, ...(object && objectMembers(object)) });
}

/** Types that are not documented are delivered too: a receiver acknowledges them, and may ignore them. */
function otherForm(types: readonly string[]): JsonSchema {
  return form('An event of any other type.', { type: 'string', not: { enum: types } }, {});
}

function form(description: string, type: JsonSchema, members: JsonSchema): JsonSchema {
  const timestamp = text('When it happened: `createDateTime`, or else when the service received it.');
  const data = { type: 'object', properties: { ...COMMON, ...members } };
  return {
    description,
    type: 'object',
    required: ['type', 'timestamp', 'data'],
    properties: { type, timestamp, data },
  };
}

function objectMembers({ operation }: ObjectSchema): JsonSchema {
  const description = `What the event names, as the registered operation ${operation} answers; null if there is no such object.`;
  return {
    object: { description, anyOf: [reference(`${operation}Data`), { type: 'null' }] },
    objectErrors: OBJECT_ERRORS,
  };
}

function reference(name: string): JsonSchema {
  return { $ref: `#/$defs/${name}` };
}

function text(description: string): JsonSchema {
  return { description, type: 'string' };
}
