import { setImmediate as turn } from 'node:timers/promises';
import { StoreError } from '../../errors/store-error.js';
import type { EventOwners } from '../event-owners.js';
import { Cancellation } from '../../http/cancellation.js';
import { Metrics } from '../../telemetry/metrics.js';
import { compileOperation } from '../compile/compile-operation.js';
import { Interventions } from '../interventions.js';
import { operationOf, type Operation } from '../operation.js';
import { RegisteredOperation } from '../registered-operation.js';
import type { GraphqlResult, Outcome } from '../transport/graphql-result.js';
import { AnswerShaping, type SealAttachment } from './answer-shaping.js';

const files: RegisteredOperation = new RegisteredOperation(
  compileOperation(
    'query Files($id: String!) @hirer(variable: "id") @token(use: PARTNER) { a(of: $id) @attachment }',
    'test',
  ),
  () => files,
);
const MEMBER = { hirerId: 'own', userId: 'user', roles: ['member'], scopes: [] };
const LIMIT = 80_000;
const registered = new RegisteredOperation(
  compileOperation(
    'query Hirer($id: String!) @hirer(variable: "id") @token(use: PARTNER) { a(of: $id) }',
    'test',
  ),
  () => {
    throw new Error('no guard');
  },
);

function operation(index: number, eventId?: string, of = registered): Operation {
  return {
    ...operationOf({ index, bytes: Buffer.from(''), type: 'query', rootKeys: ['a'], registered: of }),
    eventId,
  };
}

const answer = (a: string): Outcome => ({
  status: 200,
  body: Buffer.from(JSON.stringify({ data: { a } })),
  errors: undefined,
});

function setUp(hirerOf: EventOwners['hirerOf'] = async () => undefined) {
  const config = { REGISTERED_ANSWER_LIMIT_BYTES: LIMIT };
  const shaping = new AnswerShaping(config, new Interventions(new Metrics()), { hirerOf });
  return (
    operations: readonly Operation[],
    outcomes: Outcome[],
    cancellation = new Cancellation(),
    seal: SealAttachment = (text) => text,
  ) => shaping.shapeAll(operations, MEMBER, cancellation, outcomes, seal);
}

test('a store that fails fails only the operation that asks it', async () => {
  const shapeAll = setUp(async () => {
    throw new StoreError('database', 'down');
  });
  const outcomes = [answer('event'), answer('other')];
  await shapeAll([operation(0, 'an event'), operation(1)], outcomes);
  expect(outcomes).toMatchObject([{ code: 'unavailable' }, { status: 200 }]);
});

test('nothing more is shaped for a caller who has disconnected', async () => {
  const cancellation = new Cancellation();
  const asked: string[] = [];
  const shapeAll = setUp(async (id) => {
    asked.push(id);
    cancellation.cancel();
    return undefined;
  });
  const operations = [operation(0, 'first'), operation(1, 'second')];
  const shaped = shapeAll(operations, [answer('1'), answer('2')], cancellation);
  await expect(shaped).rejects.toMatchObject({ kind: 'aborted' });
  expect(asked).toEqual(['first']);
});

test('nothing more is done with a large answer whose caller has disconnected', async () => {
  const cancellation = new Cancellation();
  let sealed = 0;
  const seal: SealAttachment = (text) => `${text} ${(sealed += 1)}`;
  const operations = [operation(0, undefined, files)];
  const shaped = setUp()(operations, [answer('x'.repeat(70_000))], cancellation, seal);
  cancellation.cancel();
  await expect(shaped).rejects.toMatchObject({ kind: 'aborted' });
  expect(sealed).toBe(0);
});

test('answers count for their user until the last of a request is shaped, and not beyond', async () => {
  const shapeAll = setUp();
  const operations = Array.from({ length: 17 }, (_, index) => operation(index));
  for (let request = 0; request < 2; request += 1) {
    const outcomes = operations.map(() => answer('x'.repeat(LIMIT)));
    await shapeAll(operations, outcomes);
    const refused = outcomes.filter((outcome) => 'code' in outcome);
    expect(refused).toMatchObject([{ code: 'rate_limited' }, { code: 'rate_limited' }]);
  }
});

test('between small answers of one request, others have a turn', async () => {
  const operations = Array.from({ length: 10 }, (_, index) => operation(index, undefined, files));
  const outcomes = operations.map(() => answer('link'));
  const slowly: SealAttachment = (text) => {
    for (const until = performance.now() + 6; performance.now() < until;);
    return `sealed ${text}`;
  };
  let isShaped = false;
  let turnsOfOthers = 0;
  const shaped = setUp()(operations, outcomes, undefined, slowly).finally(() => (isShaped = true));
  for (; !isShaped; turnsOfOthers += 1) await turn();
  await shaped;
  expect(outcomes.map((outcome) => 'body' in outcome && outcome.body.toString())).toEqual(
    Array(10).fill('{"data":{"a":"sealed link"}}'),
  );
  expect(turnsOfOthers).toBeGreaterThanOrEqual(9);
});

describe('answers under way', () => {
  const bytes = (length: number): GraphqlResult => ({
    status: 200,
    body: Buffer.alloc(length),
    errors: undefined,
  });
  const open = (): AnswerShaping =>
    new AnswerShaping({ REGISTERED_ANSWER_LIMIT_BYTES: LIMIT }, {} as never, {} as never);

  test.each([
    ['A', 'B'],
    ['B', 'A'],
  ])('%s may have 16 of full size, whatever %s has', (one, other) => {
    const shaping = open();
    const releases = Array.from({ length: 16 }, () => shaping.hold(one, bytes(LIMIT)));
    expect(() => shaping.hold(one, bytes(LIMIT))).toThrow(
      expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 1 }),
    );
    shaping.hold(one, bytes(16_384));
    shaping.hold(other, bytes(LIMIT));
    releases[0]!();
    shaping.hold(one, bytes(LIMIT));
  });

  test('all users together may have 128', () => {
    const shaping = open();
    for (let user = 0; user < 8; user += 1) {
      for (let held = 0; held < 16; held += 1) shaping.hold(`user ${user}`, bytes(LIMIT));
    }
    expect(() => shaping.hold('another', bytes(LIMIT))).toThrow(
      expect.objectContaining({ code: 'unavailable', retryAfterSeconds: 1 }),
    );
  });
});
