import type { OperationResult } from '@urql/core';
import { cacheExchange as graphcache } from '@urql/exchange-graphcache';
import { pipe, subscribe } from 'wonka';
import { createUrqlClient, type UrqlOptions } from '../src/urql.js';
import { startStack, type Stack } from '../../test/support/start-stack.js';
import { openPage } from './page.js';
import { ENDINGS, nameOf, NAMES, naming, ORDERS, POLICIES, SELF, type Self } from './two-hirers.js';

const ENDED = { data: undefined, error: { networkError: { code: 'SESSION_ENDED' } } };
/** Objects without an identifier of their own. */
const KEYS = { SelfOrganizations: () => null, HiringOrganization: () => null };

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

describe.each(ORDERS)('two hirers in one page with urql, %s current', (current, other) => {
  const both = [NAMES[current], NAMES[other], NAMES[current], NAMES[other], NAMES[current]];

  describe.each([
    ['with its document cache', undefined],
    ['with graphcache', () => [graphcache({ keys: KEYS })]],
  ] as const)('%s', (_cache, exchanges) => {
    const open = (options: UrqlOptions = {}) => {
      const { bff } = openPage(stack, { hirerId: current });
      return { bff, client: createUrqlClient(bff, { ...(exchanges && { exchanges }), ...options }) };
    };

    test.each(POLICIES)('query (%s) keeps them apart', async (requestPolicy) => {
      const { client } = open();
      const ask = async (context: object = {}) =>
        nameOf((await client.query<Self>(SELF, {}, { requestPolicy, ...context }).toPromise()).data);
      const seen = [
        await ask(),
        await ask(naming(other)),
        await ask(),
        await ask(naming(other)),
        await ask(),
      ];
      expect(seen).toEqual(both);
      expect(nameOf(client.readQuery<Self>(SELF, {})?.data)).toBe(NAMES[current]);
      expect(nameOf(client.readQuery<Self>(SELF, {}, naming(other))?.data)).toBe(NAMES[other]);
    });

    test('queries at the same moment are not taken for one another', async () => {
      const { client } = open();
      const all = [{}, naming(other), {}].map((context) => client.query<Self>(SELF, {}, context).toPromise());
      expect((await Promise.all(all)).map(({ data }) => nameOf(data))).toEqual(both.slice(0, 3));
    });

    test('a view is told of its own hirer alone', async () => {
      const { client } = open();
      const [own, foreign] = [watch(client), watch(client, naming(other))];
      await Promise.all([own.settled(), foreign.settled()]);
      await client.query(SELF, {}, { requestPolicy: 'network-only', ...naming(other) }).toPromise();
      await client.query(SELF, {}, { requestPolicy: 'network-only' }).toPromise();
      expect(new Set(own.names)).toEqual(new Set([NAMES[current]]));
      expect(new Set(foreign.names)).toEqual(new Set([NAMES[other]]));
    });

    test('when the session ends, no view keeps data, and nothing more is answered', async () => {
      for (const end of ENDINGS) {
        const { bff, client } = open();
        const views = [watch(client), watch(client, naming(other))];
        await Promise.all(views.map((view) => view.settled()));
        const late = client.query(SELF, {}, { requestPolicy: 'network-only' }).toPromise();
        end(bff, other);
        for (const { last } of views) expect(last()).toMatchObject(ENDED);
        expect(await late).toMatchObject(ENDED);
        for (const requestPolicy of [...POLICIES, 'cache-only' as const]) {
          for (const context of [{}, naming(other)]) {
            const answer = await client.query(SELF, {}, { requestPolicy, ...context }).toPromise();
            expect(answer).toMatchObject(ENDED);
          }
        }
        expect(await client.mutation('mutation Rename { rename }', {}).toPromise()).toMatchObject(ENDED);
      }
    });
  });
});

test('a subscription ends with an error', async () => {
  const client = createUrqlClient(openPage(stack).bff);
  const { data, error } = await client.subscription('subscription Events { events }', {}).toPromise();
  expect([data, error?.networkError]).toMatchObject([undefined, { code: 'NOT_SUPPORTED' }]);
});

/** A view of urql, and the names that it showed. */
function watch(client: ReturnType<typeof createUrqlClient>, context: object = {}) {
  const results: OperationResult<Self>[] = [];
  let wake = (): void => undefined;
  pipe(
    client.query<Self>(SELF, {}, context),
    subscribe((result) => {
      results.push(result);
      wake();
    }),
  );
  return {
    get names() {
      return results.flatMap(({ data }) => nameOf(data) ?? []);
    },
    last: () => results.at(-1),
    settled: async () => {
      while (results.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    },
  };
}
