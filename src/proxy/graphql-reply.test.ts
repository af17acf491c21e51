import { answerMediaType } from './graphql-reply.js';

const APOLLO = 'application/graphql-response+json,application/json;q=0.9';
const URQL =
  'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed';

test.each([
  APOLLO,
  URQL,
  'application/graphql-response+json',
  'Application/GraphQL-Response+JSON ; charset=utf-8',
  'application/json, application/graphql-response+json',
  'application/graphql-response+json, */*',
  'application/json, application/graphql-response+json;q=0.9',
  'application/graphql-response+json;q=0.01, application/json;q=0',
])('answers in the newer type where it is named: %s', (accept) => {
  expect(answerMediaType(accept)).toBe('application/graphql-response+json; charset=utf-8');
});

test.each([
  undefined,
  '',
  '*/*',
  'application/*',
  'application/json',
  'text/html',
  'application/graphql-response+jsonp',
  'application/graphql-response+json;q=0, application/json',
  'application/graphql-response+json; q=0.000',
  'text/graphql-response+json',
  ',;=,',
])('answers in application/json otherwise: %s', (accept) => {
  expect(answerMediaType(accept)).toBe('application/json; charset=utf-8');
});
