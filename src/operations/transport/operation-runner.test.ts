/* eslint-disable max-lines -- one call, and all that can become of it */
import { BffError } from '../../errors/bff-error.js';
import { ExchangeFault, IncomingAnswer } from '../../http/outgoing/exchange.js';
import { RequestContext } from '../../http/request-context.js';
import { Conditions } from '../../telemetry/conditions/conditions.js';
import type { Upstream } from '../../upstream/upstream.js';
import { operationOf, type Operation } from '../operation.js';
import type { TokenSource } from '../../token/replace-refused-token.js';
import { compileOperation } from '../compile/compile-operation.js';
import { RegisteredOperation } from '../registered-operation.js';
import { OperationRunner } from './operation-runner.js';

/** One call, which ends as the test says, or when it is cancelled. */
interface Call {
  readonly texts: readonly string[];
  readonly token: string | undefined;
  /** The answer to the operation, or of an array to each; a number is a status without GraphQL. */
  readonly answer: (answers: readonly object[] | number) => void;
}

class ScriptedEndpoint {
  readonly calls: Call[] = [];

  sendGraphql: Upstream['sendGraphql'] = (body, { token, cancellation }) =>
    new Promise((resolve, reject) => {
      const sent: unknown = JSON.parse(body.toString());
      const answer: Call['answer'] = (answers) => {
        const [status, items] = typeof answers === 'number' ? [answers, []] : [200, answers];
        const text = JSON.stringify(Array.isArray(sent) ? items : items[0]);
        resolve({ status, headers: {}, body: Buffer.from(text ?? 'no GraphQL') });
      };
      this.calls.push({ texts: [sent].flat() as string[], token, answer });
      cancellation?.on('abort', () => reject(new ExchangeFault('aborted')));
    });
}

/** Tokens in order, until they run out. */
class Tokens implements TokenSource {
  given = 0;

  constructor(private readonly tokens: readonly string[]) {}

  get(): string {
    const token = this.tokens[this.given];
    if (token === undefined) throw new BffError('unavailable');
    return token;
  }

  async replace(): Promise<boolean> {
    this.given += 1;
    return true;
  }
}

const OK = { data: { ok: true } };
const REFUSED = { data: null, errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] };
/** The mutation may have run: another root field is not accounted for. */
const REFUSED_IN_PART = {
  data: { one: true, other: null },
  errors: [{ path: ['other'], extensions: { code: 'UNAUTHENTICATED' } }],
};
const aborted = { kind: 'aborted' };

const CONFIG = {
  UPSTREAM_BATCHING: 'array',
  USER_IN_FLIGHT_MAX: 10,
  UPSTREAM_IN_FLIGHT_MAX: 100,
  ANSWER_LIMIT_BYTES: 1_000_000,
  REGISTERED_ANSWER_LIMIT_BYTES: 1_000_000,
} as const;

interface SetUp {
  readonly tokens?: readonly string[];
  readonly inFlightMax?: number;
  readonly batching?: 'array' | 'fanout';
}

function setUp({ tokens = ['token-1', 'token-2'], inFlightMax = 10, batching = 'array' }: SetUp = {}) {
  const upstream = new ScriptedEndpoint();
  const config = { ...CONFIG, UPSTREAM_BATCHING: batching, USER_IN_FLIGHT_MAX: inFlightMax };
  const sender = new OperationRunner(
    upstream,
    undefined as never,
    new Tokens(tokens),
    { enter: () => ({ roles: ['now'], scopes: [] }) },
    config,
    new Conditions(),
  );
  /** The answers, or the failures, as the caller gets them. */
  const run = async (operations: readonly Operation[], context: RequestContext): Promise<object[]> => {
    const outcomes = await sender.run(operations, context);
    return outcomes.map((one) => (one instanceof BffError ? one : JSON.parse(one.body.toString())));
  };
  const runner = { run };
  const make =
    (type: Operation['type']) =>
    (text: string): Operation =>
      operationOf({
        index: 0,
        bytes: Buffer.from(JSON.stringify(text)),
        type,
        rootKeys: ['one', 'other'],
        label: text,
        token: 'partner',
      });
  return { upstream, runner, query: make('query'), mutation: make('mutation') };
}

function contextWithin(ms: number): RequestContext {
  const context = RequestContext.background();
  context.deadline = performance.now() + ms;
  return context;
}

/** Lets what is due happen. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('when the caller disconnects', () => {
  test('a query on its way is cancelled, and a mutation is left to finish', async () => {
    const { upstream, runner, query, mutation } = setUp();
    const [reading, writing] = [contextWithin(60_000), contextWithin(60_000)];
    const read = runner.run([query('read')], reading);
    const write = runner.run([mutation('write')], writing);
    await turn();
    for (const { cancellation } of [reading, writing]) cancellation.cancel();
    await expect(read).rejects.toMatchObject(aborted);
    upstream.calls[1]!.answer([OK]);
    expect(await write).toEqual([OK]);
  });

  test('an array with a mutation in it is left to finish', async () => {
    const { upstream, runner, query, mutation } = setUp();
    const context = contextWithin(60_000);
    const both = runner.run([query('read'), mutation('write')], context);
    await turn();
    context.cancellation.cancel();
    upstream.calls[0]!.answer([OK, OK]);
    expect(await both).toEqual([OK, OK]);
  });

  test('a mutation whose token was refused is not sent again', async () => {
    const { upstream, runner, mutation } = setUp();
    const context = contextWithin(60_000);
    const write = Promise.allSettled([runner.run([mutation('write')], context)]);
    await turn();
    context.cancellation.cancel();
    upstream.calls[0]!.answer([REFUSED]);
    await turn();
    expect(upstream.calls).toHaveLength(1);
    expect(await write).toMatchObject([{ reason: aborted }]);
  });

  test.each(['query', 'mutation'] as const)('before it is sent, a %s never is', async (type) => {
    const { upstream, runner, [type]: make } = setUp();
    const context = contextWithin(60_000);
    context.cancellation.cancel();
    const outcome = Promise.allSettled([runner.run([make('text')], context)]);
    await turn();
    expect(upstream.calls).toEqual([]);
    expect(await outcome).toMatchObject([{ reason: aborted }]);
  });
});

describe('a refused token', () => {
  test('has exactly those operations sent again that failed so and cannot have run', async () => {
    const { upstream, runner, query, mutation } = setUp();
    const operations = [query('read'), mutation('write'), mutation('half'), query('fine')];
    const outcomes = runner.run(operations, contextWithin(60_000));
    await turn();
    upstream.calls[0]!.answer([REFUSED, REFUSED, REFUSED_IN_PART, OK]);
    await turn();
    expect(upstream.calls[1]).toMatchObject({ texts: ['read', 'write'], token: 'token-2' });
    const again = { data: { again: true } };
    upstream.calls[1]!.answer([again, REFUSED]);
    expect(await outcomes).toEqual([again, REFUSED, REFUSED_IN_PART, OK]);
  });

  test.each([
    ['without GraphQL', 401, { code: 'upstream_error' }],
    ['beside data', [REFUSED_IN_PART], REFUSED_IN_PART],
  ])(
    '%s, of a mutation that may have run, is not used again, and nothing is sent again',
    async (_how, answer, outcome) => {
      const { upstream, runner, mutation } = setUp();
      const first = runner.run([mutation('first')], contextWithin(60_000));
      await turn();
      upstream.calls[0]!.answer(answer);
      expect(await first).toMatchObject([outcome]);
      void runner.run([mutation('second')], contextWithin(60_000));
      await turn();
      expect(upstream.calls.map(({ texts, token }) => [...texts, token])).toEqual([
        ['first', 'token-1'],
        ['second', 'token-2'],
      ]);
    },
  );

  test('by status alone has a query sent again', async () => {
    const { upstream, runner, query } = setUp();
    const outcomes = runner.run([query('read')], contextWithin(60_000));
    await turn();
    upstream.calls[0]!.answer(401);
    await turn();
    expect(upstream.calls[1]).toMatchObject({ texts: ['read'], token: 'token-2' });
    upstream.calls[1]!.answer([OK]);
    expect(await outcomes).toEqual([OK]);
  });

  test('fails only those operations when there is no other token', async () => {
    const { upstream, runner, query } = setUp({ tokens: ['token-1'] });
    const outcomes = runner.run([query('read'), query('fine')], contextWithin(60_000));
    await turn();
    upstream.calls[0]!.answer([REFUSED, OK]);
    expect(await outcomes).toEqual([expect.objectContaining({ code: 'unavailable' }), OK]);
  });
});

test('a query that is let through after an outage is sent once more when its connection breaks', async () => {
  let ms = 0;
  const upstream = {
    calls: 0,
    sendGraphql: async () => {
      upstream.calls += 1;
      if (upstream.calls === 1) throw new ExchangeFault('connection');
      return new IncomingAnswer(200, {}, Buffer.from(JSON.stringify(OK)));
    },
  };
  const none = undefined as never;
  const sender = new OperationRunner(upstream, none, none, none, CONFIG, new Conditions(), () => ms);
  for (let call = 0; call < 10; call += 1) {
    for (const user of ['a', 'b', 'c']) sender['breaker'].leave(user, 'failed');
  }
  expect(sender['breaker'].isOpen).toBe(true);
  ms += 5_000;
  const { query } = setUp();
  const outcomes = await sender.run([{ ...query('read'), token: 'none' }], contextWithin(60_000));
  expect(outcomes).toMatchObject([{ status: 200 }]);
});

describe('an array', () => {
  test.each(['array', 'fanout'] as const)('fails as a whole without a token (%s)', async (batching) => {
    const { upstream, runner, query } = setUp({ tokens: [], batching });
    const outcomes = runner.run([query('a'), query('b')], contextWithin(60_000));
    await expect(outcomes).rejects.toMatchObject({ code: 'unavailable' });
    expect(upstream.calls).toEqual([]);
  });

  test('whose caller left keeps the places of what is left to finish (fanout)', async () => {
    const { upstream, runner, query, mutation } = setUp({ batching: 'fanout', inFlightMax: 2 });
    const leave = async (): Promise<void> => {
      const context = contextWithin(60_000);
      const running = runner.run([query('read'), mutation('write')], context);
      void running.catch(() => undefined);
      await turn();
      context.cancellation.cancel();
      await turn();
    };
    await leave();
    await leave();
    expect(upstream.calls.filter(({ texts }) => texts[0] === 'write')).toHaveLength(1);
  });

  test.each(['array', 'fanout'] as const)(
    'of more than a user may have in flight is sent when none of the user is (%s)',
    async (batching) => {
      const { upstream, runner, query } = setUp({ batching, inFlightMax: 2 });
      const running = runner.run(['a', 'b', 'c'].map(query), contextWithin(60_000));
      await turn();
      for (const { texts, answer } of upstream.calls) answer(texts.map(() => OK));
      expect(await running).toEqual([OK, OK, OK]);
    },
  );

  test.each(['array', 'fanout'] as const)(
    'is sent by %s without what is not the member’s any more',
    async (batching) => {
      const { upstream, runner, query } = setUp({ batching });
      const context = Object.assign(contextWithin(60_000), {
        user: { userId: 'ada' },
        member: { hirerId: 'h', userId: 'ada', roles: ['before', 'now'], scopes: [] },
        hasWaited: true,
      });
      const forRole = (label: string, role: string): Operation => {
        const compiled = compileOperation(`query A @role(any: ["${role}"]) { version }`, 'test');
        return { ...query(label), registered: new RegisteredOperation(compiled, () => undefined as never) };
      };
      const items = [forRole('a', 'before'), forRole('b', 'now'), forRole('c', 'before')];
      const running = runner.run(items, context);
      await turn();
      upstream.calls[0]!.answer([OK]);
      expect(await running).toMatchObject([{ code: 'scope_forbidden' }, OK, { code: 'scope_forbidden' }]);
      expect(upstream.calls.map(({ texts }) => texts)).toEqual([['b']]);
    },
  );
});
