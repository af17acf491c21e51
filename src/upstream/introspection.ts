import { getIntrospectionQuery } from 'graphql';
import type { IncomingAnswer } from '../http/outgoing/exchange.js';
import { isObject } from '../json/is-object.js';
import { readJsonObject } from './json-answer.js';

/** Largest schema that is read, in bytes of the answer to introspection; the public schema takes about a tenth. */
export const SCHEMA_BYTES_MAX = 8_388_608;
/** Time for each request for the schema, in milliseconds. */
export const SCHEMA_TIMEOUT_MS = 30_000;

/** A GraphQL endpoint answered, but not with its schema. */
export class IntrospectionFault extends Error {
  override readonly name = 'IntrospectionFault';
}

/**
 * Asks a GraphQL endpoint for its schema. Deprecated arguments and input fields are asked for too.
 * @param send sends the body of a request
 * @returns the answer, whose `data` holds `__schema`
 * @throws IntrospectionFault, and whatever `send` throws
 */
export async function introspect(send: (body: string) => Promise<IncomingAnswer>): Promise<string> {
  const query = getIntrospectionQuery({ inputValueDeprecation: true, descriptions: false });
  const answer = await send(JSON.stringify({ query, operationName: 'IntrospectionQuery' }));
  if (hasSchema(answer)) return answer.body.toString('utf8');
  throw new IntrospectionFault(`no schema in the answer to introspection (status ${answer.status})`);
}

function hasSchema(answer: IncomingAnswer): boolean {
  const data = readJsonObject(answer)?.['data'];
  return isObject(data) && '__schema' in data;
}
