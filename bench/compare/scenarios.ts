import { createHmac } from 'node:crypto';
import { jwt, WEBHOOK_SECRET } from '../bff.js';
import { HIRER_ID } from '../hirer-id.js';
import type { LoadRequest } from '../load.js';

/** A kind of request, and the program that answers the same and decides nothing. */
export interface Scenario {
  readonly name: string;
  /** Compiled program, relative to the folder of the benchmarks; undefined where another scenario's floor serves. */
  readonly floor?: string;
  /** Requests in a round. */
  readonly count: number;
  /** How many fewer are needed to warm up, because each of them does the work of several; 1 by default. */
  readonly weight?: number;
  request(port: number): LoadRequest;
}

let sent = 0;
const ids = Array.from({ length: 13 }, (_, index) => `seekAnzPublicTest:location:seek:${index}x`);
const LOCATIONS = JSON.stringify({
  operationName: 'Locations',
  query:
    'query Locations($ids: [String!]!) {\n  locations(ids: $ids) {\n    id {\n      value\n    }\n    contextualName\n  }\n}',
  variables: { ids },
});
const REGISTERED = JSON.stringify({ documentId: 'BenchProfile', variables: { id: '0x' } });
const asUser = { authorization: `Bearer ${jwt}`, 'content-type': 'application/json', 'x-hirer-id': HIRER_ID };

/** No two bodies of a run are alike, so that none is answered by another's answer. */
const unlike = (body: string): string => body.replace('0x"', `${(sent += 1)}"`);

function toGraphql(port: number, nextBody: () => string): LoadRequest {
  return { origin: `http://127.0.0.1:${port}`, path: '/graphql', headers: asUser, body: '', nextBody };
}

function webhook(eventsEach: number): string {
  const events = Array.from({ length: eventsEach }, () => ({
    id: `bench:event:${(sent += 1)}`,
    type: 'CandidateApplicationCreated',
    createDateTime: new Date().toISOString(),
    hirerId: HIRER_ID,
    candidateId: 'seekAnzPublicTest:candidate:feed:5PGXAHysjZdkQYwZghfL4bRCqvZ7ZM',
    candidateApplicationProfileId: 'seekAnzPublicTest:candidateProfile:apply:4QM5fWQbdekL9gPtPZrzex',
  }));
  return JSON.stringify({ subscriptionId: 'bench', events });
}

function toWebhooks(port: number, eventsEach: number): LoadRequest {
  return {
    origin: `http://127.0.0.1:${port}`,
    path: '/webhooks',
    headers: { 'content-type': 'application/json' },
    body: '',
    nextBody: () => webhook(eventsEach),
    headersOf: (body) => ({
      'seek-signature': createHmac('sha512', WEBHOOK_SECRET).update(body).digest('hex'),
    }),
    status: 204,
  };
}

/** The requests that are compared. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'cached token',
    floor: 'floors/fastify.js',
    count: 8_000,
    request: (port) => ({
      origin: `http://127.0.0.1:${port}`,
      path: '/auth/token',
      headers: { authorization: asUser.authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ hirerId: HIRER_ID, scope: 'query:organizations' }),
    }),
  },
  {
    name: 'operation',
    floor: 'floors/proxy.js',
    count: 4_000,
    request: (port) => toGraphql(port, () => unlike(LOCATIONS)),
  },
  {
    name: 'registered operation',
    count: 4_000,
    request: (port) => toGraphql(port, () => unlike(REGISTERED)),
  },
  {
    name: 'array of ten',
    count: 800,
    weight: 0.1,
    request: (port) =>
      toGraphql(port, () => `[${Array.from({ length: 10 }, () => unlike(LOCATIONS)).join(',')}]`),
  },
  { name: 'webhook of one', count: 4_000, request: (port) => toWebhooks(port, 1) },
  {
    name: 'webhook of ten',
    floor: 'floors/receiver.js',
    count: 1_000,
    weight: 0.1,
    request: (port) => toWebhooks(port, 10),
  },
];
