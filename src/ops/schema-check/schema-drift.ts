import { parse, type GraphQLSchema } from 'graphql';
import {
  checkDocuments,
  toCheckedDocument,
  type CheckedDocument,
  type Objections,
} from '../../operations/check-documents.js';
import type { CompiledOperation } from '../../operations/compile/compile-operation.js';
import { namesQuery } from '../../token/hirer-names.js';
import { eventsQuery } from '../../webhooks/reconcile/events-query.js';

/** What a schema says against the documents that are sent to it. */
export interface SchemaDrift extends Objections {
  readonly documents: number;
}

/** Compares what the service sends upstream, registered operations and its own queries, with a schema. */
export function findDrift(
  schema: GraphQLSchema,
  registered: Iterable<{ readonly compiled: CompiledOperation }>,
  others: readonly CheckedDocument[] = [],
): SchemaDrift {
  const operations = [...registered].map(({ compiled }) => toCheckedDocument(compiled));
  const documents = [...operations, ...builtInQueries(), ...others];
  return { documents: documents.length, ...checkDocuments(schema, documents) };
}

/** The queries that the service sends for itself, with the partner token. */
function builtInQueries(): readonly CheckedDocument[] {
  return [
    ['names of hirers', namesQuery(['hirer'])],
    ['reconciliation of events, from a time', eventsQuery('scheme', { since: 0 }, 'full')],
    ['reconciliation of events, from a cursor', eventsQuery('scheme', { cursor: 'cursor' }, 'full')],
  ].map(([source, body]) => ({ source: `${source} (built in)`, document: documentOf(body!), places: [] }));
}

function documentOf(body: string) {
  const { query } = JSON.parse(body) as { query: string };
  return parse(query);
}
