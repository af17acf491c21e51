import { RequestContext } from '../http/request-context.js';
import { compileOperation } from './compile/compile-operation.js';
import { callOf, type Operation } from './operation.js';
import { Operations } from './operations.service.js';
import { RegisteredOperation } from './registered-operation.js';
import type { Outcome } from './transport/graphql-result.js';

const registered = (text: string, guard?: RegisteredOperation): RegisteredOperation =>
  new RegisteredOperation(compileOperation(text, 'test'), () => guard!);
const files = registered(
  'query Files($id: ID!) @hirer(variable: "id") @token(use: PARTNER) { a(of: $id) @attachment }',
);
const own = registered(
  'query Own($id: ID!) @hirer(path: "a.owner") @token(use: PARTNER) { a(id: $id) { owner x } }',
);
const guarded = registered(
  'mutation M($id: ID!) @hirer(query: "Own", variables: { id: "id" }) @token(use: PARTNER) { a(id: $id) }',
  own,
);

const answerOf = (data: object): Outcome => ({
  status: 200,
  body: Buffer.from(JSON.stringify({ data })),
  errors: undefined,
});
const text = (a: string): Outcome => answerOf({ a });

const item = (index: number, of: RegisteredOperation, id = 'own'): Operation =>
  callOf(of, { index, variables: { id } });

const aContext = (): RequestContext =>
  Object.assign(RequestContext.background(), {
    member: { hirerId: 'own', userId: 'user', roles: ['member'], scopes: [] },
  });

/** Runs operations as a user, each with its answer; a guard gets the last one. */
function setUp(seal = (url: string): string => url) {
  let answers: readonly Outcome[] = [];
  const runner = {
    run: async (operations: readonly Operation[]): Promise<Outcome[]> =>
      operations.map((one) => (one.registered === own ? answers.at(-1)! : answers[one.index]!)),
  };
  const operations = new Operations(
    runner as never,
    { takeUpTo: () => ({ points: 1, refusal: undefined }) } as never,
    { replace: seal } as never,
    undefined as never,
    { UPSTREAM_TIMEOUT_MS: 1_000 },
  );
  return (items: readonly Operation[], given: readonly Outcome[], context = aContext()) => {
    answers = given;
    return operations.run(items, context);
  };
}

describe('for a caller who has disconnected', () => {
  test('nothing more is confined', async () => {
    const context = aContext();
    const sealed: string[] = [];
    const run = setUp((url) => {
      sealed.push(url);
      context.cancellation.cancel();
      return url;
    });
    const outcomes = run([item(0, files), item(1, files)], [text('first'), text('second')], context);
    await expect(outcomes).rejects.toMatchObject({ kind: 'aborted' });
    expect(sealed).toEqual(['first']);
  });

  test('nothing more is done with a large answer', async () => {
    const context = aContext();
    let sealed = 0;
    const run = setUp((url) => `${url} ${(sealed += 1)}`);
    const outcomes = run([item(0, files)], [text('x'.repeat(70_000))], context);
    context.cancellation.cancel();
    await expect(outcomes).rejects.toMatchObject({ kind: 'aborted' });
    expect(sealed).toBe(0);
  });
});

test('of the large answers to several requests, each is confined in a turn of the event loop of its own', async () => {
  let turn = 0;
  let sampling = setImmediate(function sample() {
    turn += 1;
    sampling = setImmediate(sample);
  });
  const turns: number[] = [];
  const run = setUp(() => `${turns.push(turn)}`);
  const large = [text('x'.repeat(70_000)), text('y'.repeat(70_000))];
  await Promise.all([1, 2, 3].map(() => run([item(0, files), item(1, files)], large)));
  clearImmediate(sampling);
  expect(new Set(turns).size).toBe(6);
});

test('a guard that proves another owner, or nothing, keeps its operation from being sent', async () => {
  const run = setUp();
  const refused = [{ code: 'hirer_forbidden' }];
  expect(await run([item(0, guarded)], [text('done'), answerOf({ a: null })])).toMatchObject(refused);
  expect(await run([item(0, guarded)], [text('done'), answerOf({ a: { owner: 'other' } })])).toMatchObject(
    refused,
  );
});

test.each(['no JSON', '{"data":{"a":7}}'])(
  'a guard whose answer is unusable, such as %s, is a fault of the upstream, and keeps its operation from being sent',
  async (body) => {
    const run = setUp();
    const outcomes = await run([item(0, guarded)], [text('done'), { ...text('x'), body } as Outcome]);
    expect(outcomes).toMatchObject([{ code: 'upstream_error' }]);
  },
);
