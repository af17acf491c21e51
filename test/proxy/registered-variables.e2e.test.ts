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
});
