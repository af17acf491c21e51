import { parse } from 'graphql';
import { toCheckedDocument, type CheckedDocument } from '../../operations/check-documents.js';
import type { CompiledOperation } from '../../operations/compile/compile-operation.js';
import { namesQuery } from '../../token/hirer-names.js';
import { eventsQuery } from '../../webhooks/reconcile/events-query.js';

/** What the service sends upstream: registered operations, and its own queries. */
export function sentDocuments(
  registered: Iterable<{ readonly compiled: CompiledOperation }>,
): readonly CheckedDocument[] {
  return [...[...registered].map(({ compiled }) => toCheckedDocument(compiled)), ...builtInQueries()];
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
