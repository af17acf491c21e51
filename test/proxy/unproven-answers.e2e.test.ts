import { folderOf } from '../support/machine.js';
import { unauthenticated } from '../support/scripted-upstream.js';
import { useScriptedStack } from './proxy-stack.js';

const OPERATIONS_DIR = folderOf({
  'owner.graphql': `query Owner($id: String!) @hirer(path: "thing.hirer.id.value") @token(use: PARTNER) {
    thing(id: $id) { hirer { id { value } } }
  }`,
  'change.graphql': `mutation Change($id: String!) @hirer(query: "Owner", variables: { id: "id" }) @token(use: PARTNER) {
    change(id: $id)
  }`,
});
const { upstream, stack } = useScriptedStack({ OPERATIONS_DIR, UPSTREAM_TIMEOUT_MS: '1000' });
beforeEach(() => upstream.reset());

describe.each(['Change', 'Owner'])(
  '%s, of an object whose owner the upstream did not read,',
  (documentId) => {
    test.each([
      ['RATE_LIMITED', 429, 'rate_limited'],
      ['INTERNAL_SERVER_ERROR', 502, 'upstream_error'],
      ['NOT_FOUND', 403, 'hirer_forbidden'],
    ])('because of %s, says so, and nothing runs', async (code, status, reason) => {
      const errors = [{ message: 'm', path: ['thing', 'hirer'], extensions: { code } }];
      upstream.script = () => JSON.stringify({ data: { thing: { hirer: null } }, errors });
      const answer = await stack.ask({ documentId, variables: { id: 'a' } });
      expect([answer.status, answer.body.errors[0].extensions.reason]).toEqual([status, reason]);
      expect(upstream.executed).toHaveLength(1);
    });
  },
);

test.each(['Change', 'Owner'])(
  '%s, of an object of another hirer, is FORBIDDEN, whatever else failed',
  async (id) => {
    const errors = [{ message: 'm', path: ['thing', 'name'], extensions: { code: 'INTERNAL_SERVER_ERROR' } }];
    const thing = { hirer: { id: { value: 'another' } } };
    upstream.script = () => JSON.stringify({ data: { thing }, errors });
    expect((await stack.ask({ documentId: id, variables: { id: 'a' } })).status).toBe(403);
  },
);

test('a mutation is not sent after its deadline', async () => {
  await stack.freshToken();
  upstream.reset();
  const { answer } = upstream.server;
  upstream.script = () => unauthenticated('x');
  const now = performance.now.bind(performance);
  let aheadMs = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now() + aheadMs);
  upstream.server.answer = (call, response) => {
    if (call.url === '/auth/token') aheadMs = 1_000; // the time that the whole has
    answer(call, response);
  };
  expect((await stack.ask({ query: 'mutation { x }' })).status).toBe(504);
  upstream.server.answer = answer;
  jest.restoreAllMocks();
  expect(upstream.executed).toHaveLength(1);
});

test('a status that nobody knows is an error of the upstream', async () => {
  upstream.before = (_call, response) => {
    response.writeHead(799, { 'content-type': 'application/json' }).end('{"data":{"a":1}}');
    return true;
  };
  expect((await stack.ask({ query: '{ good }' })).status).toBe(502);
});
