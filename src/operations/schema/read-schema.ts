import { buildClientSchema, buildSchema, type GraphQLSchema, type IntrospectionQuery } from 'graphql';
import { clip } from '../../errors/clip.js';
import { isObject } from '../../json/is-object.js';

const REASON_CHARACTERS_MAX = 300;

/** Why a text is no schema, in a sentence. */
export class SchemaFault extends Error {
  override readonly name = 'SchemaFault';
}

/**
 * Reads a schema: SDL, or the answer to an introspection query, with or without its `data`.
 * @throws SchemaFault
 */
export function readSchema(text: string): GraphQLSchema {
  try {
    return /^\s*\{/.test(text) ? fromIntrospection(JSON.parse(text)) : buildSchema(text);
  } catch (error) {
    if (error instanceof SchemaFault) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new SchemaFault(`it is not a schema: ${clip(reason, REASON_CHARACTERS_MAX)}`);
  }
}

function fromIntrospection(answer: unknown): GraphQLSchema {
  const data = isObject(answer) && isObject(answer['data']) ? answer['data'] : answer;
  if (!isObject(data) || !isObject(data['__schema'])) {
    throw new SchemaFault('it is JSON, but not the answer to an introspection query');
  }
  return buildClientSchema(data as unknown as IntrospectionQuery);
}
