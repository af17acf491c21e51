import { setImmediate as turn } from 'node:timers/promises';
import { BffError } from '../../errors/bff-error.js';
import { AnswerShaping } from '../answers/answer-shaping.js';
import { compileOperation } from '../compile/compile-operation.js';
import { RegisteredOperation } from '../registered-operation.js';
import { OwnershipProofs } from './ownership-proofs.js';

const MEBIBYTE = 1_048_576;
const MEMBER = { userId: 'user', hirerId: 'own' };
const guard: RegisteredOperation = new RegisteredOperation(
  compileOperation('query Own($id: String!) @hirer(path: "a.owner") { a(id: $id) { owner } }', 'test'),
  () => guard,
);
const head = '{"data":{"a":{"owner":"own","x":"';
const body = Buffer.from(head + 'x'.repeat(MEBIBYTE - head.length - 5) + '"}}}');
const answer = { status: 200, body, errors: undefined };

const openShaping = (): AnswerShaping =>
  new AnswerShaping({ REGISTERED_ANSWER_LIMIT_BYTES: MEBIBYTE }, {} as never, {} as never);

/** What keeps an operation from being sent whose guard gets the answer; undefined when it may be sent. */
async function refusalWith(shaping: AnswerShaping): Promise<unknown> {
  const runner = { run: async () => [answer] };
  const proofs = new OwnershipProofs(runner as never, {} as never, shaping, {
    count: () => undefined,
  } as never);
  const operation = { index: 0, guards: [{ operation: guard, bytes: Buffer.alloc(0) }] };
  const outcomes: unknown[] = [];
  const credentials = { of: () => ({}) };
  await proofs.admit(
    [operation as never],
    credentials as never,
    { member: MEMBER } as never,
    outcomes as never,
  );
  return outcomes[0];
}

test('the answer of a guard counts as one of the user’s answers under way, and no longer than it is judged', async () => {
  const shaping = openShaping();
  const releases = Array.from({ length: 15 }, () => shaping.hold(MEMBER.userId, answer));
  expect(await refusalWith(shaping)).toBeUndefined();
  expect(await refusalWith(shaping)).toBeUndefined();
  releases.push(shaping.hold(MEMBER.userId, answer));
  const refused = await refusalWith(shaping);
  expect(refused).toBeInstanceOf(BffError);
  expect(refused).toMatchObject({ code: 'rate_limited' });
  for (const release of releases) release();
  expect(await refusalWith(shaping)).toBeUndefined();
});

test('while answers of guards are judged, other work has its turn', async () => {
  const shaping = openShaping();
  let isJudged = false;
  let turnsOfOthers = 0;
  const judged = Promise.all(Array.from({ length: 10 }, () => refusalWith(shaping))).finally(
    () => (isJudged = true),
  );
  for (; !isJudged; turnsOfOthers += 1) await turn();
  expect(await judged).toEqual(Array(10).fill(undefined));
  expect(turnsOfOthers).toBeGreaterThanOrEqual(10);
});
