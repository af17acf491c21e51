import { gql, InMemoryCache, type ApolloClient, type OperationVariables } from '@apollo/client';
import { createApolloClient, forHirer, type ApolloOptions } from '../src/apollo.js';
import { startStack, type Stack } from '../../test/support/start-stack.js';
import { openPage } from './page.js';
import { ENDINGS, nameOf, NAMES, naming, ORDERS, POLICIES, SELF, type Self } from './two-hirers.js';

/** An `id` that both hirers' answers share, as an upstream could have it. */
const SHARED_ID =
  '{"data":{"self":{"__typename":"Self","id":"1","hirer":{"__typename":"Hirer","id":"1","name":';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

describe.each(ORDERS)('two hirers in one page with Apollo Client, %s current', (current, other) => {
  const both = [NAMES[current], NAMES[other], NAMES[current], NAMES[other], NAMES[current]];

  const open = (options?: ApolloOptions) => {
    const { bff, sent } = openPage(stack, { hirerId: current });
    return { bff, sent, client: createApolloClient(bff, options) };
  };
  const self = async (client: ApolloClient, options: object = {}): Promise<string | undefined> =>
    nameOf((await client.query<Self>({ query: gql(SELF), ...options })).data);

  test.each(['cache-first', 'network-only', 'no-cache'] as const)(
    'query (%s) keeps them apart',
    async (fetchPolicy) => {
      const { client } = open();
      const ask = (context?: object) => self(client, { fetchPolicy, ...(context && { context }) });
      const seen = [
        await ask(),
        await ask(naming(other)),
        await ask(),
        await ask(naming(other)),
        await ask(),
      ];
      expect(seen).toEqual(both);
      expect(await self(client)).toBe(NAMES[current]);
      expect(await self(client, { context: naming(other) })).toBe(NAMES[other]);
    },
  );

  test('queries at the same moment are not taken for one another', async () => {
    const { client } = open();
    const context = naming(other);
    expect(await Promise.all([self(client), self(client, { context }), self(client)])).toEqual(
      both.slice(0, 3),
    );
  });

  test('the first answer may be that of the other hirer, by whatever way it was named', async () => {
    const { client } = open();
    expect(await self(client, { context: naming(other) })).toBe(NAMES[other]);
    expect(await self(client)).toBe(NAMES[current]);
    expect(await self(forHirer(client, other))).toBe(NAMES[other]);
    expect(forHirer(forHirer(client, other), current)).toBe(client);
    const preset = createApolloClient(openPage(stack, { hirerId: current }).bff, {
      defaultOptions: { query: { context: naming(other) } },
    });
    expect([await self(preset), await self(preset, { context: naming(current) })]).toEqual([
      NAMES[other],
      NAMES[current],
    ]);
  });

  test.each(POLICIES)('a view (%s) is told of its own hirer alone', async (fetchPolicy) => {
    const { client } = open();
    const own = watch(client, { fetchPolicy });
    const foreign = watch(forHirer(client, other), { fetchPolicy });
    await Promise.all([own.settled(), foreign.settled()]);
    await client.refetchQueries({ include: [gql(SELF)] });
    await self(client, { context: naming(other), fetchPolicy: 'network-only' });
    expect(new Set(own.names)).toEqual(new Set([NAMES[current]]));
    expect(new Set(foreign.names)).toEqual(new Set([NAMES[other]]));
  });

  test('a view whose context names another hirer is refused, from the start and later', async () => {
    const { client } = open();
    const query = gql(SELF);
    const refusal = expect.objectContaining({
      code: 'NOT_SUPPORTED',
      message: expect.stringContaining('forHirer(client, hirerId)'),
    }) as Error;
    expect(() => client.watchQuery({ query, context: naming(other) })).toThrow(refusal);
    const view = client.watchQuery({ query, context: naming(current) });
    const changes = [
      () => view.reobserve({ context: naming(other) }),
      () => view.applyOptions({ context: naming(other) }),
      () => view.fetchMore({ context: naming(other) }),
    ];
    for (const change of changes) expect(change).toThrow(refusal);
  });

  test('a context that reaches the link names no other hirer', async () => {
    const { client } = open({ defaultContext: naming(other) });
    await expect(self(client)).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
    const late = client.refetchQueries({
      include: [{ query: gql(SELF), context: naming(other) }] as never,
    });
    await expect(late).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
  });

  test('objects of one id are kept for each hirer, where the cache is told to join them', async () => {
    const { bff } = openPage(stack, { hirerId: current, fetch: answerWithSharedId });
    const client = createApolloClient(bff, { cache: () => new InMemoryCache(), via: 'service' });
    const query = gql('query Self { self { id hirer { id name } } }');
    const ask = async (options: object): Promise<string | undefined> =>
      nameOf((await client.query<Self>({ query, ...options })).data);
    const view = watch(client, { query });
    await view.settled();
    expect(await ask({ context: naming(other) })).toBe(other);
    expect(await ask({})).toBe(current);
    expect(client.cache.extract()).toHaveProperty('Hirer:1');
    expect(view.names).toEqual([current]);
  });

  test('an optimistic update shows at once, is taken back when it fails, and is seen by no other hirer', async () => {
    const { bff } = openPage(stack, { hirerId: current });
    const client = createApolloClient(bff);
    const query = gql(SELF);
    const [own, foreign] = [watch(client), watch(forHirer(client, other))];
    await Promise.all([own.settled(), foreign.settled()]);
    const failing = client.mutate({
      mutation: gql('mutation Rename { rename { name } }'),
      context: naming(other),
      optimisticResponse: { rename: { __typename: 'Hirer', name: 'New' } },
      update: (cache) =>
        cache.updateQuery<Self>({ query }, (last) => last && rename(last, 'New')) satisfies
          Self | null | undefined,
    });
    expect(nameOf(forHirer(client, other).readQuery({ query }, true))).toBe('New');
    expect(nameOf(client.readQuery({ query }, true))).toBe(NAMES[current]);
    await expect(failing).rejects.toBeDefined();
    await foreign.settled();
    expect(foreign.names).toEqual([NAMES[other], 'New', NAMES[other]]);
    expect(own.names).toEqual([NAMES[current]]);
  });

  test('a further page lands with its own hirer', async () => {
    const { client } = open();
    const query = gql('query Names($id: String!) { hiringOrganization(id: $id) { name } }');
    const own = watch(client, { query, variables: { id: current } });
    const foreign = watch(forHirer(client, other), { query, variables: { id: other } });
    await Promise.all([own.settled(), foreign.settled()]);
    await foreign.view.fetchMore({ variables: { id: other }, updateQuery: (last) => last });
    const { data } = await client.query({ query, variables: { id: current }, fetchPolicy: 'cache-only' });
    expect(data).toMatchObject({ hiringOrganization: { name: NAMES[current] } });
  });

  test('when the session ends, no view keeps data, and nothing more is answered', async () => {
    for (const end of ENDINGS) {
      const { bff, client } = open();
      const views = [
        ...POLICIES.map((fetchPolicy) => watch(client, { fetchPolicy })),
        watch(client, { fetchPolicy: 'no-cache' }),
        watch(client, { notifyOnNetworkStatusChange: false }),
        watch(client, { errorPolicy: 'all' }),
        watch(client, { errorPolicy: 'ignore' }),
        watch(forHirer(client, other)),
      ];
      await Promise.all(views.map((view) => view.settled()));
      const cached = watch(client, { fetchPolicy: 'cache-only' });
      await cached.settled();
      const late = self(client, { fetchPolicy: 'network-only' });
      end(bff, other);
      expect(client.readQuery({ query: gql(SELF) })).toBeNull();
      await expect(late).rejects.toMatchObject({ code: 'SESSION_ENDED' });
      for (const view of [...views, cached]) {
        expect(await view.settled()).toBeUndefined();
        expect(view.view.getCurrentResult().data).toBeUndefined();
      }
      for (const fetchPolicy of ['cache-first', 'cache-only', 'network-only'] as const) {
        await expect(self(client, { fetchPolicy })).rejects.toMatchObject({ code: 'SESSION_ENDED' });
      }
      const late2 = watch(client);
      expect(await late2.settled()).toBeUndefined();
      expect(late2.view.getCurrentResult().error).toMatchObject({ code: 'SESSION_ENDED' });
    }
  });

  test('from one hirer to the other and back, each client answers for its own', async () => {
    const { bff } = openPage(stack, { hirerId: current });
    const names = [await self(createApolloClient(bff))];
    for (const hirerId of [other, current]) {
      bff.switchHirer(hirerId);
      names.push(await self(createApolloClient(bff)));
    }
    expect(names).toEqual(both.slice(0, 3));
  });
});

test('a subscription ends with an error', async () => {
  const client = createApolloClient(openPage(stack).bff);
  const { promise, resolve } = Promise.withResolvers<unknown>();
  client.subscribe({ query: gql('subscription Events { events }') }).subscribe(({ error }) => resolve(error));
  expect(await promise).toMatchObject({ code: 'NOT_SUPPORTED' });
});

/** A view of Apollo Client, and the names that it showed. */
function watch<Variables extends OperationVariables>(client: ApolloClient, options: object = {}) {
  const names: (string | undefined)[] = [];
  const view = client.watchQuery<Self, Variables>({ query: gql(SELF), ...options } as never);
  const shown = (): string | undefined => nameOf(view.getCurrentResult().data);
  let isLoading = true;
  let wake = (): void => undefined;
  view.subscribe(({ data, loading }) => {
    const name = nameOf(data) ?? (data && 'other data');
    if (data && names.at(-1) !== name) names.push(name);
    isLoading = loading;
    wake();
  });
  /** The name shown once no request is pending. */
  const settled = async (): Promise<string | undefined> => {
    await new Promise((resolve) => setImmediate(resolve));
    while (isLoading) await new Promise<void>((resolve) => (wake = resolve));
    return shown();
  };
  return { view, names, settled };
}

function rename({ self }: Self, name: string): Self {
  return { self: { ...self, hirer: { ...self.hirer, name } } };
}

/** A service whose answers are objects of one id, named after the hirer that was asked for. */
const answerWithSharedId: typeof fetch = (_url, init) => {
  const hirerId = new Headers(init?.headers).get('x-hirer-id');
  return Promise.resolve(new Response(`${SHARED_ID}${JSON.stringify(hirerId)}}}}}`));
};
