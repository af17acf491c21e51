import { setImmediate as turn } from 'node:timers/promises';
import { StoreError } from '../errors/store-error.js';
import { RequestContext } from '../http/request-context.js';
import { Metrics } from '../telemetry/metrics.js';
import { AnswerConfinement } from './answers/answer-confinement.js';
import { compileOperation } from './compile/compile-operation.js';
import { Interventions } from './interventions.js';
import { callOf, type Operation } from './operation.js';
import { Operations } from './operations.service.js';
import { RegisteredOperation } from './registered-operation.js';
import type { Outcome } from './transport/graphql-result.js';
import { ResponseCache } from './transport/response-cache.js';

const LIMIT = 80_000;

const registered = (text: string, guard?: RegisteredOperation): RegisteredOperation =>
  new RegisteredOperation(compileOperation(text, 'test'), () => guard!);
const plain = registered('query A($id: ID!) @hirer(variable: "id") @token(use: PARTNER) { a(of: $id) }');
const files = registered(
  'query Files($id: ID!) @hirer(variable: "id") @token(use: PARTNER) { a(of: $id) @attachment }',
);
/** Its answer does not say whose the event is, so that the store is asked. */
const event = registered(
  'query E($id: ID!) @hirer(anyPath: ["event.owner"], event: "id") @token(use: PARTNER) { event(id: $id) { owner x } }',
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
const eventOf = (length: number): Outcome => answerOf({ event: { x: 'x'.repeat(length) } });
const ofOwner = (length: number): Outcome => answerOf({ a: { owner: 'own', x: 'x'.repeat(length) } });

const item = (index: number, of: RegisteredOperation, id = 'own'): Operation =>
  callOf(of, { index, variables: { id } });

interface SetUp {
  readonly hirerOf?: (eventId: string) => Promise<string | undefined>;
  readonly seal?: (text: string) => string;
}

/** Runs operations as a user, each with its answer; a guard gets the last one. */
function setUp({ hirerOf = async () => 'own', seal = (url) => url }: SetUp = {}) {
  let answers: readonly Outcome[] = [];
  const runner = {
    run: async (operations: readonly Operation[]): Promise<Outcome[]> =>
      operations.map((one) => (one.registered === own ? answers.at(-1)! : answers[one.index]!)),
  };
  const interventions = new Interventions(new Metrics());
  const confinement = new AnswerConfinement({ hirerOf }, { replace: seal } as never, interventions, {
    REGISTERED_ANSWER_LIMIT_BYTES: LIMIT,
  });
  const operations = new Operations(
    runner as never,
    new ResponseCache(),
    { takeUpTo: () => ({ points: 1, refusal: undefined }) } as never,
    confinement,
    interventions,
    { refusals: () => [] } as never,
    { UPSTREAM_TIMEOUT_MS: 1_000 },
  );
  const context = (userId: string): RequestContext =>
    Object.assign(RequestContext.background(), {
      member: { hirerId: 'own', userId, roles: ['member'], scopes: [] },
    });
  return (items: readonly Operation[], given: readonly Outcome[], by: string | RequestContext = 'user') => {
    answers = given;
    return operations.run(items, typeof by === 'string' ? context(by) : by);
  };
}

test('a store that fails fails only the operation that asks it', async () => {
  const run = setUp({
    hirerOf: async () => {
      throw new StoreError('database', 'down');
    },
  });
  const outcomes = await run([item(0, event), item(1, plain)], [eventOf(1), text('other')]);
  expect(outcomes).toMatchObject([{ code: 'unavailable' }, { status: 200 }]);
});

describe('for a caller who has disconnected', () => {
  const leaving = (): RequestContext =>
    Object.assign(RequestContext.background(), {
      member: { hirerId: 'own', userId: 'user', roles: ['member'], scopes: [] },
    });

  test('nothing more is confined', async () => {
    const context = leaving();
    const asked: string[] = [];
    const run = setUp({
      hirerOf: async (id) => {
        asked.push(id);
        context.cancellation.cancel();
        return 'own';
      },
    });
    const items = [item(0, event, 'first'), item(1, event, 'second')];
    await expect(run(items, [eventOf(1), eventOf(1)], context)).rejects.toMatchObject({ kind: 'aborted' });
    expect(asked).toEqual(['first']);
  });

  test('nothing more is done with a large answer', async () => {
    const context = leaving();
    let sealed = 0;
    const run = setUp({ seal: (url) => `${url} ${(sealed += 1)}` });
    const outcomes = run([item(0, files)], [text('x'.repeat(70_000))], context);
    context.cancellation.cancel();
    await expect(outcomes).rejects.toMatchObject({ kind: 'aborted' });
    expect(sealed).toBe(0);
  });
});

test('between small answers of one request, others have a turn', async () => {
  const slowly = (url: string): string => {
    for (const until = performance.now() + 6; performance.now() < until;);
    return `sealed ${url}`;
  };
  const items = Array.from({ length: 10 }, (_, index) => item(index, files));
  let isDone = false;
  let turnsOfOthers = 0;
  const outcomes = setUp({ seal: slowly })(items, Array(10).fill(text('link'))).finally(
    () => (isDone = true),
  );
  for (; !isDone; turnsOfOthers += 1) await turn();
  expect((await outcomes).map((outcome) => 'body' in outcome && outcome.body.toString())).toEqual(
    Array(10).fill('{"data":{"a":"sealed link"}}'),
  );
  expect(turnsOfOthers).toBeGreaterThanOrEqual(9);
});

describe('answers under way', () => {
  /** A look-up of an event's owner waits until it is released. */
  const stuck = () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const run = setUp({ hirerOf: () => promise });
    const hold = async (user: string, count: number): Promise<Promise<Outcome[]>[]> => {
      const items = Array.from({ length: count }, (_, index) => item(index, event));
      const held = run(items, Array(count).fill(eventOf(LIMIT - 30)), user);
      await turn();
      return [held];
    };
    return { run, hold, release: () => resolve('own') };
  };

  test.each([
    ['A', 'B'],
    ['B', 'A'],
  ])('%s may have 16 of full size, whatever %s has', async (one, other) => {
    const { run, hold, release } = stuck();
    const held = await hold(one, 16);
    const full = [text('x'.repeat(LIMIT - 20))];
    expect(await run([item(0, plain)], full, one)).toMatchObject([
      { code: 'rate_limited', retryAfterSeconds: 1 },
    ]);
    expect(await run([item(0, plain)], [text('small')], one)).toMatchObject([{ status: 200 }]);
    expect(await run([item(0, plain)], full, other)).toMatchObject([{ status: 200 }]);
    release();
    await Promise.all(held);
    expect(await run([item(0, plain)], full, one)).toMatchObject([{ status: 200 }]);
  });

  test('all users together may have 128', async () => {
    const { run, hold, release } = stuck();
    const held: Promise<Outcome[]>[] = [];
    for (let user = 0; user < 8; user += 1) held.push(...(await hold(`user ${user}`, 16)));
    expect(await run([item(0, plain)], [text('x'.repeat(LIMIT - 20))], 'another')).toMatchObject([
      { code: 'unavailable', retryAfterSeconds: 1 },
    ]);
    release();
    await Promise.all(held);
  });

  test('count until the last of a request is confined', async () => {
    const answers = Array(17).fill(text('x'.repeat(LIMIT - 20)));
    const items = Array.from({ length: 17 }, (_, index) => item(index, plain));
    const run = setUp();
    for (let request = 0; request < 2; request += 1) {
      const refused = (await run(items, answers)).filter((outcome) => 'code' in outcome);
      expect(refused).toMatchObject([{ code: 'rate_limited' }]);
    }
  });

  test('include that of a guard while it is judged, and no longer', async () => {
    const { run, hold, release } = stuck();
    const mutate = () => run([item(0, guarded)], [text('done'), ofOwner(LIMIT - 50)]);
    const held = await hold('user', 15);
    expect(await mutate()).toMatchObject([{ status: 200 }]);
    expect(await mutate()).toMatchObject([{ status: 200 }]);
    held.push(...(await hold('user', 1)));
    expect(await mutate()).toMatchObject([{ code: 'rate_limited' }]);
    release();
    await Promise.all(held);
    expect(await mutate()).toMatchObject([{ status: 200 }]);
  });
});

test('a guard that proves another owner, or nothing, keeps its operation from being sent', async () => {
  const run = setUp();
  const refused = [{ code: 'hirer_forbidden' }];
  expect(await run([item(0, guarded)], [text('done'), answerOf({ a: null })])).toMatchObject(refused);
  expect(await run([item(0, guarded)], [text('done'), answerOf({ a: { owner: 'other' } })])).toMatchObject(
    refused,
  );
});

test('while answers of guards are judged, other work has its turn', async () => {
  const run = setUp();
  let isJudged = false;
  let turnsOfOthers = 0;
  const judged = Promise.all(
    Array.from({ length: 10 }, () => run([item(0, guarded)], [text('done'), ofOwner(70_000)])),
  ).finally(() => (isJudged = true));
  for (; !isJudged; turnsOfOthers += 1) await turn();
  for (const outcome of await judged) expect(outcome).toMatchObject([{ status: 200 }]);
  expect(turnsOfOthers).toBeGreaterThanOrEqual(10);
});
