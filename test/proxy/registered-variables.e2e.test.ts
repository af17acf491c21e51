import { folderOf } from '../support/machine.js';
import { BANKSIA, useScriptedStack } from './proxy-stack.js';

const OPERATIONS = {
  'posting.graphql': `mutation Posting($input: PostingInput!, $hirerId: String!, $first: Int, $ids: [String!]) @token(use: PARTNER)
    @hirer(variable: "hirerId") @hirer(query: "BrandingOwner", variables: {id: "input.ad.brandingId"}, optional: true) {
    post(input: $input, hirerId: $hirerId, first: $first, ids: $ids) { id } }`,
  'branding-owner.graphql': `query BrandingOwner($id: String!) @token(use: PARTNER) @hirer(path: "branding.owner") {
    branding(id: $id) { owner } }`,
};

const { upstream, stack } = useScriptedStack({ OPERATIONS_DIR: `shipped ${folderOf(OPERATIONS)}` });
beforeEach(() => {
  upstream.reset();
  upstream.script = ({ operationName, variables }) =>
    operationName === 'BrandingOwner'
      ? JSON.stringify({ data: { branding: { owner: variables.id === 'own' ? BANKSIA : 'another' } } })
      : '{"data":{"post":{"id":"new"}}}';
});

const post = (variables: string) => stack.ask(`{"documentId":"Posting","variables":${variables}}`);

test.each([
  ['input', '{}'],
  ['input', '{"input":{"ad":{"brandingId":"own","__proto__":{"brandingId":"foreign"}}}}'],
  ['input', '{"input":{"ad":{"__proto__":{"brandingId":"foreign"},"brandingId":"own"}}}'],
])(
  'a call whose variable %s is wrong is refused by its name, and nothing is sent: %s',
  async (name, variables) => {
    const { status, body } = await post(variables);
    expect([status, body.errors[0].extensions.code]).toEqual([400, 'BAD_USER_INPUT']);
    expect(body.errors[0].message).toContain(`"${name}"`);
    const array = await stack.ask(
      `[{"documentId":"Posting","variables":${variables}},{"documentId":"Posting","variables":{"input":{}}}]`,
    );
    expect(array.body[0]).toMatchObject({ errors: [{ message: body.errors[0].message }] });
    expect(array.body[1]).toEqual({ data: { post: { id: 'new' } } });
    expect(upstream.executed.map(({ operation }) => operation.operationName)).toEqual(['Posting']);
  },
);

test('a single value for a list, null for what is optional, and numbers of any size are sent as they came', async () => {
  expect((await post('{"input":{"n":9007199254740993},"ids":"one","first":null}')).status).toBe(200);
  expect((await post('{"input":{"n":1.50},"ids":null}')).status).toBe(200);
  const sent = upstream.calls.map(({ raw }) => raw.slice(raw.indexOf('"variables"')));
  expect(sent[0]).toContain('{"input":{"n":9007199254740993},"ids":"one","first":null,');
  expect(sent[1]).toContain('{"input":{"n":1.50},"ids":null');
});

describe('a guard sees what the upstream is sent', () => {
  const foreign = '{"brandingId":"foreign"}';
  const own = '{"brandingId":"own"}';
  test.each([
    ['twice, the last one its own', `{"ad":${foreign},"ad":${own}}`, 200],
    ['twice, the last one foreign', `{"ad":${own},"ad":${foreign}}`, 403],
    ['twice, once with an escape', `{"ad":${own},"\\u0061d":${foreign}}`, 403],
    ['twice, first with an escape', `{"\\u0061d":${foreign},"ad":${own}}`, 200],
    ['with an escaped name', `{"ad":{"branding\\u0049d":"foreign"}}`, 403],
    ['in a list', `{"ad":[${own},${foreign}]}`, 403],
    ['not at all', '{}', 200],
  ])('the place given %s', async (_, input, status) => {
    expect((await post(`{"input":${input}}`)).status).toBe(status);
    const ran = upstream.executed.map(({ operation }) => operation.operationName);
    expect(ran.includes('Posting')).toBe(status === 200);
  });

  test('below constructor, a member like others, is no place of the guard, and is sent as what it is', async () => {
    const input = `{"constructor":{"prototype":{"ad":${foreign}}}}`;
    expect((await post(`{"input":${input}}`)).status).toBe(200);
    expect(upstream.calls.at(-1)!.raw).toContain(`"input":${input}`);
  });
});
