import { linksOf } from '../../../test/support/parts.js';
import { expectShortTurns, slowness } from '../../../test/support/until.js';
import { BffError } from '../../errors/bff-error.js';
import { compileOperation } from '../compile/compile-operation.js';
import { mayRenew, readShape } from '../transport/graphql-result.js';
import { confineInSteps } from './confine-answer.js';

const BYTES = 1_048_576 - 256;
const RUNS_MAX = 3;
const operation = compileOperation(
  `query A($id: String!) @hirer(path: "a.owner.id") @token(use: PARTNER) {
    a(id: $id) { owner { id } leaf url @attachment items { x y } }
  }`,
  'test',
);
const links = linksOf('https://upstream.test');

/** A list of as many copies of a value as fit. */
const listOf = (value: string, bytes = BYTES): string =>
  `[${Array(Math.floor(bytes / (value.length + 1)))
    .fill(value)
    .join()}]`;
const answer = (members: string): string => `{"data":{"a":{"owner":{"id":"own"},${members}}}}`;
const URL_OF_A_FILE = '"https://upstream.test/attachments/a"';

async function shape(body: string): Promise<void> {
  const result = { status: 200, body: Buffer.from(body), errors: undefined };
  const mapText = (text: string): string => links.replace(text, { hirerId: 'own', userId: 'user' });
  const steps = confineInSteps(operation, result, { hirerId: 'own', mapText });
  try {
    while (!steps.next().done) await new Promise(setImmediate);
  } catch (error) {
    if (!(error instanceof BffError)) throw error;
  }
}

test.each<[string, string]>([
  ['many tiny objects', answer(`"items":${listOf('{"x":1}')}`)],
  ['many members that were not selected', answer(`"items":${listOf('{"x":1,"n":2}')}`)],
  ['many tiny lists', answer(`"leaf":${listOf('[]')}`)],
  ['many numbers', answer(`"leaf":${listOf('1.50')}`)],
  ['one long text', answer(`"leaf":"${'a'.repeat(BYTES)}"`)],
  ['one long text of escapes', answer(`"leaf":"${'\\u0041'.repeat(BYTES / 6)}"`)],
  ['lists nested deeply', answer(`"leaf":${'['.repeat(400)}${listOf('1')}${']'.repeat(400)}`)],
  ['more owners than are accepted', `{"data":{"a":${listOf('{"owner":{"id":"own"}}')}}}`],
  ['nearly as many owners as are', `{"data":{"a":${listOf('{"owner":{"id":"own"}}', 440_000)}}}`],
  ['many owners that are no texts', `{"data":{"a":{"owner":{"id":${listOf('1')}}}}}`],
  ['many owners that are nothing', `{"data":{"a":{"owner":${listOf('{}')}}}}`],
  ['many members to leave out', answer(`"items":${listOf('{"":1}')}`)],
  [
    'many attachments',
    answer(`"leaf":${listOf('1', BYTES - 40_000)},"url":${listOf(URL_OF_A_FILE, 37_000)}`),
  ],
  ['many members beside the data', `{"data":null${',"":0'.repeat(BYTES / 5)}}`],
  [
    'errors of many numbers that JSON may write in another way',
    `{"data":{"a":{"owner":{"id":"own"}}},"errors":[{"message":"m","path":["a"],"locations":[${Array.from({ length: 17_000 }, (__, n) => `{"k${n}":-0}`).join()}]}]}`,
  ],
  ['many errors', `{"data":null,"errors":${listOf('{"message":"m","path":["a",0,"leaf"]}', 35_000)}}`],
  ['a long error', `{"data":null,"errors":[{"message":"m","locations":${listOf('1.5', 200_000)}}]}`],
  ['more attachments than are accepted', answer(`"url":${listOf(URL_OF_A_FILE)}`)],
  ['more errors than are accepted', `{"data":null,"errors":${listOf('{}')}}`],
])('an answer of a mebibyte, %s, does not hold the event loop for 50 ms', (_, body) =>
  expectShortTurns(() => shape(body)),
);

let namesSeen = 0;

/** Members whose names no object of this process has had. */
function newMembers(): string {
  namesSeen += 1;
  return Array.from({ length: 55_000 }, (_, n) => `"n${namesSeen}x${n}":1.50`).join();
}

/** Each new name is put into tables of the engine, which caches bound: the machine of the bounds parses these in 30 ms. */
const slownessOfNames = (): number => slowness(`{${newMembers()}}`, 30);

test.each(['items', 'leaf'])(
  'an answer of 55,000 members of %s with names that were never seen does not hold the event loop for 50 ms',
  (field) =>
    expectShortTurns(async () => {
      const body = answer(`"${field}":[{${newMembers()}}]`);
      await new Promise(setImmediate);
      await shape(body);
    }, slownessOfNames),
);

test('to decide on a new token, an answer of a mebibyte is not parsed', () => {
  const items = Array.from({ length: 80_000 }, (_, n) => `{"k${n}":1}`).join();
  const body = Buffer.from(
    `{"data":{"a":[${items}]},"errors":[{"path":["a"],"extensions":{"code":"UNAUTHENTICATED"}}]}`,
  );
  const { errors } = readShape(body)!;
  const decide = (): boolean =>
    mayRenew({ type: 'mutation', rootKeys: ['a'] }, { status: 200, body, errors });
  expect(decide()).toBe(false);
  const took = Array.from({ length: RUNS_MAX }, () => {
    const before = process.threadCpuUsage();
    for (let item = 0; item < 10; item += 1) decide();
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 10_000;
  });
  expect(Math.min(...took)).toBeLessThan(25 * slowness());
});
