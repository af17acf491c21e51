import {
  NoDeprecatedCustomRule,
  buildClientSchema,
  buildSchema,
  getIntrospectionQuery,
  getOperationAST,
  getNamedType,
  isInputObjectType,
  isInputType,
  specifiedRules,
  typeFromAST,
  validate,
  type DocumentNode,
  type GraphQLSchema,
  type IntrospectionQuery,
  type ValidationRule,
} from 'graphql';
import { clip } from '../errors/bff-error.js';
import type { RequestContext } from '../http/request-context.js';
import { isObject } from '../json/parse-json.js';
import { readJsonObject } from '../upstream/upstream-answer.js';
import type { Upstream } from '../upstream/upstream.js';
import type { Place } from './answers/ownership.js';
import type { CompiledOperation } from './compile/compile-operation.js';

/** A document that the service sends upstream. */
export interface CheckedDocument {
  /** File or module that it comes from. */
  readonly source: string;
  readonly document: DocumentNode;
  /** Places in its variables that the service reads or sets. */
  readonly places: readonly Place[];
}

/** A schema's objections to documents, each with its source. */
export interface Objections {
  /** What is refused upstream. */
  readonly faults: readonly string[];
  /** What will be refused one day. */
  readonly deprecated: readonly string[];
}

/** Most faults that are reported of one document. */
const FAULTS_MAX = 20;

export function toCheckedDocument({ source, document, bindings }: CompiledOperation): CheckedDocument {
  const places = bindings.flatMap((binding) => {
    if (binding.kind === 'variable') return [binding.variable];
    return binding.kind === 'query' ? [...binding.variables.values()] : [];
  });
  return { source, document, places };
}

export function checkDocuments(schema: GraphQLSchema, documents: readonly CheckedDocument[]): Objections {
  const faults: string[] = [];
  const deprecated: string[] = [];
  for (const { source, document, places } of documents) {
    const against = (rules: readonly ValidationRule[]): string[] =>
      validate(schema, document, rules, { maxErrors: FAULTS_MAX }).map(({ message }) => message);
    const missing = places.flatMap((place) => missingPlace(schema, document, place) ?? []);
    const withSource = (sentence: string): string => `${source}: ${sentence}`;
    faults.push(...[...against(specifiedRules), ...missing].map(withSource));
    deprecated.push(...against([NoDeprecatedCustomRule]).map(withSource));
  }
  return { faults, deprecated };
}

/** A sentence if the place leads to no member of the variable's type; faults of the type itself are not repeated. */
function missingPlace(
  schema: GraphQLSchema,
  document: DocumentNode,
  [name, ...members]: Place,
): string | undefined {
  const { variableDefinitions = [] } = getOperationAST(document)!;
  const definition = variableDefinitions.find(({ variable }) => variable.name.value === name);
  let type = definition && getNamedType(typeFromAST(schema, definition.type));
  for (const member of isInputType(type) ? members : []) {
    const field = isInputObjectType(type) ? type.getFields()[member] : undefined;
    if (!field) {
      const place = [name, ...members].join('.');
      return `A directive names "${place}", but ${type!.name} has no member "${member}".`;
    }
    type = getNamedType(field.type);
  }
  return undefined;
}

/** About ten times the public schema. */
const SCHEMA_BYTES_MAX = 8_388_608;
const SCHEMA_TIMEOUT_MS = 30_000;
const REASON_CHARACTERS_MAX = 300;

/** The schema could not be had, or the text is not one. */
export class SchemaFault extends Error {
  override readonly name = 'SchemaFault';
}

/** A schema as SDL, or as the answer to an introspection query, with or without its `data`. @throws SchemaFault */
export function readSchema(text: string): GraphQLSchema {
  try {
    if (!/^\s*\{/.test(text)) return buildSchema(text);
    const answer = JSON.parse(text) as IntrospectionQuery & { readonly data?: IntrospectionQuery };
    return buildClientSchema(answer.data ?? answer);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SchemaFault(`it is not a schema: ${clip(reason, REASON_CHARACTERS_MAX)}`);
  }
}

/**
 * The upstream's answer to introspection, deprecated arguments and input fields included; its `data` holds `__schema`.
 * @throws SchemaFault for another answer; ExchangeFault
 */
export async function fetchSchema(
  upstream: Pick<Upstream, 'sendGraphql'>,
  token: string | undefined,
  context: RequestContext,
): Promise<string> {
  const query = getIntrospectionQuery({ inputValueDeprecation: true, descriptions: false });
  const body = JSON.stringify({ query, operationName: 'IntrospectionQuery' });
  const bounds = { bodyBytesMax: SCHEMA_BYTES_MAX, timeoutMs: SCHEMA_TIMEOUT_MS };
  const answer = await upstream.sendGraphql(body, { token, ...bounds }, context);
  const data = readJsonObject(answer)?.['data'];
  if (isObject(data) && '__schema' in data) return answer.body.toString('utf8');
  throw new SchemaFault(`no schema in the answer to introspection (status ${answer.status})`);
}
