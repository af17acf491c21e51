import { type Json } from '../support/ask-token.js';
import { startProxyStack, type ProxyStack } from './proxy-stack.js';
import { startScriptedUpstream, unauthenticated, type ScriptedUpstream } from './scripted-upstream.js';

const CALLS = 50;
const REFUSED = { documentId: 'Hirer', variables: {} };
const ACCEPTED = { documentId: 'PositionOpenings', variables: {} };

let upstream: ScriptedUpstream;
let stack: ProxyStack;

beforeEach(async () => {
  upstream = await startScriptedUpstream();
  stack = await startProxyStack({ UPSTREAM_URL: upstream.url });
  upstream.script = ({ query }) =>
    query.includes('query Hirer(') ? unauthenticated() : '{"data":{"positionOpenings":null}}';
});
afterEach(async () => {
  await stack.close();
  await upstream.server.close();
});

const issuerCalls = (): number => stack.playground.calls.list({ route: 'oauth-token' }).length;
const codeOf = ({ body }: { body: Json }): unknown => body.errors?.[0]?.extensions?.code;

test('an operation that is always refused causes one more issuer request, and costs other users no token', async () => {
  await stack.ask(ACCEPTED);
  expect(issuerCalls()).toBe(1);
  const limited = { route: 'oauth-token', times: 0, status: 429, headers: { 'retry-after': '30' } } as const;
  for (let round = 0; round < CALLS; round += 1) {
    const [refused, accepted] = await Promise.all([stack.ask(REFUSED), stack.ask(ACCEPTED)]);
    expect([codeOf(refused), accepted.status, codeOf(accepted)]).toEqual(['UNAUTHENTICATED', 200, undefined]);
    if (round === 0) stack.playground.faults.add(limited);
  }
  expect(issuerCalls()).toBe(2);
  expect(upstream.executed.length).toBeLessThanOrEqual(2 * CALLS + 3);
});
