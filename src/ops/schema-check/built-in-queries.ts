import { parse } from 'graphql';
import type { CheckedDocument } from '../../operations/check-documents.js';
import { namesQuery } from '../../token/hirer-names.js';
import { eventsQuery } from '../../webhooks/reconcile/events-query.js';

/** The queries that the service sends for itself, with the partner token. */
export function builtInQueries(): readonly CheckedDocument[] {
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
