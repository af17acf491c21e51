import { setImmediate as turn } from 'node:timers/promises';
import { StoreError } from '../../errors/store-error.js';
import type { EventOwners } from '../../hirer-access/event-owners.js';
import { Cancellation } from '../../http/cancellation.js';
import { Metrics } from '../../telemetry/metrics.js';
import { compileOperation } from '../compile/compile-operation.js';
import { Interventions } from '../interventions.js';
import { operationOf, type Operation } from '../operation.js';
import { RegisteredOperation } from '../registered-operation.js';
import type { Outcome } from '../transport/graphql-result.js';
import { AnswerShaping, type SealAttachment } from './answer-shaping.js';
import { AnswerTurns } from './answer-turns.js';

const files: RegisteredOperation = new RegisteredOperation(
  compileOperation(
    'query Files($id: String!) @hirer(variable: "id") @token(use: PARTNER) { a(of: $id) @attachment }',
    'test',
  ),
  () => files,
);
const MEMBER = { hirerId: 'own', userId: 'user', roles: ['member'], scopes: [] };
const LIMIT = 20_000;
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
  const turns = new AnswerTurns({ REGISTERED_ANSWER_LIMIT_BYTES: LIMIT });
  const shaping = new AnswerShaping(turns, new Interventions(new Metrics()), { hirerOf });
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
