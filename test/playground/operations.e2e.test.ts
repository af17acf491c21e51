import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { directiveText } from '../../playground/src/graphql/schema/directives.js';
import { theSchema } from '../../playground/src/graphql/schema/schema.js';
import { makeDocument } from '../../playground/src/pages/examples.js';
import { ask, browserToken, errorsOf, examplesOf, usePlayground } from './client.js';

describe('every operation of the schema', () => {
  const playground = usePlayground({ switches: { mutations: 'read-only', operationRules: 'refuse' } });
  beforeAll(() => {
    const eventTypeCodes = ['PositionProfilePosted'] as const;
    playground.subscribe({ url: 'https://partner.example/webhooks/1', eventTypeCodes });
    playground.webhooks.setMischief({ paused: true });
  });

  test('answers its example query in full, with a partner token', async () => {
    for (const { name, query, variables } of examplesOf(playground).filter(({ kind }) => kind === 'query')) {
      const answer = await ask(playground, query, variables);
      expect({ name, errors: answer.errors }).toEqual({ name, errors: undefined });
      const isEmpty = ['webhookRequest', 'webhookSubscriptionReplay'].includes(name);
      if (!isEmpty) expect({ name, value: answer.data?.[name] }).toEqual({ name, value: expect.anything() });
    }
  });

  test('8 takes pages as large as the schema states, and none larger', async () => {
    const queries = theSchema().getQueryType()!.getFields();
    const paged = examplesOf(playground).flatMap(({ name, variables }) => {
      const max = directiveText(queries[name]?.astNode, 'paginated', 'maximumPageSize');
      return max === undefined ? [] : [{ name, variables, max: Number(max) }];
    });
    expect(paged).toHaveLength(7);
    for (const { name, variables, max } of paged) {
      const sized = (first: number) => ({ ...variables, first });
      const query = makeDocument(theSchema(), 'query', queries[name]!, sized(max));
      expect([name, errorsOf(await ask(playground, query, sized(max)))]).toEqual([name, []]);
      const { errors } = await ask(playground, query, sized(max + 1));
      expect(errors).toMatchObject([
        { path: [name], extensions: { code: 'BAD_USER_INPUT', field: 'first' } },
      ]);
    }
  });

  test('states its scope in its description and opens to a browser token of just that scope', async () => {
    for (const { name, kind, query, variables, description } of examplesOf(playground)) {
      const scope = /browser token with the scope `([^`]+)`/.exec(description)?.[1];
      if (description.includes('Needs no token')) continue;
      const granted = await ask(
        playground,
        query,
        variables,
        browserToken(playground, scope === undefined ? [] : [scope]),
      );
      const refused = await ask(playground, query, variables, browserToken(playground, []));
      const rootRefusal = (answer: typeof refused) =>
        errorsOf(answer).some(([code, path]) => code === 'FORBIDDEN' && path === name);
      expect({ name, refused: rootRefusal(refused) }).toEqual({ name, refused: true });
      const isOpen = scope !== undefined && kind === 'query';
      expect({ name, open: !rootRefusal(granted) }).toEqual({ name, open: isOpen });
    }
  });

  test('refuses every mutation with FORBIDDEN after its input is validated', async () => {
    for (const { name, query, variables } of examplesOf(playground).filter(
      ({ kind }) => kind === 'mutation',
    )) {
      const answer = await ask(playground, query, variables);
      expect({ name, messages: answer.errors?.map(({ message }) => message) }).toEqual({
        name,
        messages: [expect.stringContaining('read-only')],
      });
    }
  });

  test('is described by introspection, which needs no token', async () => {
    const answer = await ask(playground, getIntrospectionQuery(), undefined, '');
    const schema = buildClientSchema(answer.data as unknown as IntrospectionQuery);
    expect(schema.getSubscriptionType()).toBeNull();
    expect(schema.getQueryType()?.getFields()['self']?.description).toContain('query:organizations');
  });
});
