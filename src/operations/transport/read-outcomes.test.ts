import type { IncomingHttpHeaders } from 'node:http';
import { operationOf, type Operation } from '../operation.js';
import { readOutcomes } from './graphql-result.js';

const LIMITS = { ANSWER_LIMIT_BYTES: 1_000_000, REGISTERED_ANSWER_LIMIT_BYTES: 1_000 };
const DATA = '{"data":{"a":1}}';
const REFUSAL = '{"errors":[{"message":"no"}]}';

const operations = (count: number): Operation[] =>
  Array.from({ length: count }, (_, index) =>
    operationOf({ index, bytes: Buffer.from(''), type: 'query', rootKeys: [], label: '' }),
  );

/** The bodies of the outcomes; a failure is its code. */
async function read(count: number, body: string, headers: IncomingHttpHeaders = {}, status = 200) {
  const answer = { status, headers, body: Buffer.from(body) };
  const outcomes = readOutcomes(answer, operations(count), LIMITS);
  return outcomes?.map((outcome) => ('code' in outcome ? outcome.code : outcome.body.toString()));
}

test('an array has an outcome for each operation, and an item that is no GraphQL fails alone', async () => {
  expect(await read(3, `[${DATA},{},${REFUSAL}]`)).toEqual([DATA, 'upstream_error', REFUSAL]);
});

test.each([
  ['that was cut off', '{"data":{"a":{"b":1}'],
  ['with something after it', `${DATA},${DATA}`],
  ['with another one after it', DATA + DATA],
  ['that ends within a text', '{"data":{"a":"}'],
])('an answer %s is not GraphQL', async (_name, body) => {
  expect(await read(1, body)).toBeUndefined();
});

test('an answer without data and without an error is not GraphQL', async () => {
  expect(await read(1, '{"errors":[ ]}')).toBeUndefined();
  expect(await read(2, `[${DATA},{"errors":[],"extensions":{}}]`)).toEqual([DATA, 'upstream_error']);
});

test('the errors of an answer count however their name is written', async () => {
  const answer = { status: 200, headers: {}, body: Buffer.from(`{"data":{"a":null},"\\u0065rrors":[{}]}`) };
  expect(readOutcomes(answer, operations(1), LIMITS)).toMatchObject([{ errors: [{}] }]);
});

test('an empty list of errors means success', async () => {
  const answer = { status: 200, headers: {}, body: Buffer.from('{"data":{"a":1},"errors":[ ]}') };
  expect(readOutcomes(answer, operations(1), LIMITS)).toMatchObject([{ errors: undefined }]);
});

test('one answer to an array stands for all of its items only if it refuses them', async () => {
  expect(await read(2, REFUSAL)).toEqual([REFUSAL, REFUSAL]);
  expect(await read(2, DATA)).toBeUndefined();
  expect(await read(2, '{"data":{"a":1},"errors":[]}')).toBeUndefined();
  expect(await read(2, '{"data":null}')).toBeUndefined();
});

test.each([
  ['of fewer items', `[${DATA}]`, {}, 200],
  ['of more items', `[${DATA},${DATA},${DATA}]`, {}, 200],
  ['that ends too early', `[${DATA},${DATA}`, {}, 200],
  ['of a content encoding', `[${DATA},${DATA}]`, { 'content-encoding': 'gzip' }, 200],
  ['that redirects', `[${DATA},${DATA}]`, {}, 302],
])('an answer %s is not GraphQL', async (_name, body, headers, status) => {
  expect(await read(2, body, headers, status)).toBeUndefined();
});

test.each(['identity', '', 'identity, identity'])(
  'an answer in the content encoding "%s" is read',
  async (coding) => {
    expect(await read(1, DATA, { 'content-encoding': coding })).toEqual([DATA]);
  },
);
