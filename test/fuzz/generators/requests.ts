import fc from 'fast-check';
import type { SentRequest } from '../target.js';
import { anyDocumentText, documentText, graphqlNames } from './graphql-texts.js';
import { headerText, pathText, requestHeaders } from './http-texts.js';
import {
  anyJsonBytes,
  arrayText,
  bytesOf,
  objectLike,
  objectText,
  quoted,
  stringText,
  words,
} from './json-texts.js';

const HIRER = 'seekAnzPublicTest:organization:seek:93WyyF1h';

/** Requests to one route, most of them with a body and headers as it wants them. */
function requestTo(
  method: string,
  path: fc.Arbitrary<string>,
  body: fc.Arbitrary<Buffer>,
  type = 'application/json',
): fc.Arbitrary<SentRequest> {
  return fc.record({
    method: fc.constant(method),
    path,
    headers: requestHeaders.map((headers) => ({ 'content-type': type, ...headers })),
    body,
  });
}

const nothing = fc.constant(Buffer.alloc(0));
const at = (path: string) => fc.constant(path);
const withText = (texts: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 4, arbitrary: texts.map(bytesOf) }, anyJsonBytes);

const graphqlRequest = objectLike({
  query: quoted(
    fc.oneof(fc.constant('{version}'), fc.constant('{self{hirer{name}}}'), documentText, anyDocumentText),
  ),
  variables: objectText,
  operationName: quoted(graphqlNames),
  extensions: objectText,
});
const registeredRequest = objectLike({
  documentId: quoted(
    fc.constantFrom('Hirer', 'PositionProfile', 'ClosePositionProfile', 'LocationSuggestions'),
  ),
  variables: fc.oneof(objectLike({ id: stringText, input: objectText, first: stringText }), objectText),
  extensions: objectText,
});
const graphqlBody = fc.oneof(
  graphqlRequest,
  registeredRequest,
  fc
    .array(fc.oneof(graphqlRequest, registeredRequest, arrayText), { maxLength: 4 })
    .map((items) => `[${items.join(',')}]`),
);
const tokenBody = objectLike({
  hirerId: quoted(fc.constant(HIRER)),
  scope: quoted(
    fc.constantFrom('query:ontologies', 'query:organizations query:ontologies', 'query:none', ' '),
  ),
});

/** Requests to every route of the public listener, and to none. */
export const publicRequest = fc.oneof(
  { weight: 5, arbitrary: requestTo('POST', at('/graphql'), withText(graphqlBody)) },
  { weight: 2, arbitrary: requestTo('POST', at('/auth/token'), withText(tokenBody)) },
  requestTo('GET', fc.oneof(at('/hirers'), at('/events/stream')), nothing),
  requestTo(
    'GET',
    fc.oneof(headerText, fc.base64String()).map((text) => `/attachments/${text}`),
    nothing,
  ),
  requestTo('POST', at('/webhooks'), anyJsonBytes),
  fc
    .constantFrom('GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'PROPFIND')
    .chain((method) => requestTo(method, pathText, nothing)),
);

const query = fc
  .array(
    fc.tuple(
      fc.constantFrom(...words('user hirer after state type since until outcome request constructor a')),
      fc
        .oneof(
          fc.string({ unit: 'binary' }),
          fc.constantFrom('\0', 'WyJcdTAwMDAiLCIiXQ', '1', '2026-01-01', HIRER),
        )
        .map((text) => encodeURIComponent(text.toWellFormed())),
    ),
    { maxLength: 2 },
  )
  .map((all) => `?${all.map((pair) => pair.join('=')).join('&')}`);
const segment = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1 }),
    fc.constantFrom('\0', 'fuzzed', 'a/b', '%', '__proto__'),
  )
  .map((text) => encodeURIComponent(text.toWellFormed()));
const route = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((texts) => texts.join(''));

/** Requests to every route of the ops listener, and to none. */
export const opsRequest = fc.oneof(
  {
    weight: 3,
    arbitrary: requestTo(
      'GET',
      route(fc.constantFrom('/memberships', '/events', '/audit', '/audit/export'), query),
      nothing,
    ),
  },
  requestTo(
    'PUT',
    route(at('/memberships/'), segment, at('/'), segment),
    withText(objectLike({ roles: arrayText })),
  ),
  requestTo('DELETE', route(at('/memberships/'), segment, at('/'), segment), nothing),
  requestTo('POST', route(at('/events/'), segment, at('/redeliver')), nothing),
  requestTo('PUT', at('/log-level'), withText(objectLike({ level: stringText }))),
  requestTo('POST', at('/secrets/reload'), anyJsonBytes),
  requestTo('GET', fc.oneof(route(at('/dashboard/'), segment), pathText), nothing),
);
