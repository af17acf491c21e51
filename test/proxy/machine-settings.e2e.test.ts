import type { Environment } from '../../src/config/load-config.js';
import { getAs, type Answer } from '../support/start-stack.js';
import { BANKSIA, NUSANTARA, startProxyStack, type ProxyStack } from './proxy-stack.js';
import { usePlayground } from '../playground/client.js';

const HIRER = { documentId: 'Hirer' };
const CONNECTED = { documentId: 'ConnectedHirers', variables: { schemeId: 'seekAnzPublicTest' } };

const playground = usePlayground({ size: 1 });

async function start(environment: Environment): Promise<ProxyStack> {
  playground.calls.clear();
  return startProxyStack(environment, playground);
}

const askAs = (stack: ProxyStack, token: string, hirerId?: string, body: unknown = HIRER): Promise<Answer> =>
  stack.ask(body, { authorization: `Bearer ${token}`, 'x-hirer-id': hirerId });

test('machines have a limit of their own, which neither takes from users nor is taken from', async () => {
  const limits = { RATE_LIMIT_REQUESTS_PER_MINUTE: '2', RATE_LIMIT_MACHINE_REQUESTS_PER_MINUTE: '3' };
  const stack = await start(limits);
  const machine = await stack.playground.signIn('demo-backend');
  const statuses = async (token: string): Promise<number[]> => {
    const all: number[] = [];
    for (const hirerId of [BANKSIA, NUSANTARA, BANKSIA, NUSANTARA]) {
      all.push((await askAs(stack, token, hirerId)).status);
    }
    return all;
  };
  expect(await statuses(stack.amelia)).toEqual([200, 200, 429, 429]);
  expect(await statuses(machine)).toEqual([200, 200, 200, 429]);
  const hirers = await getAs(stack.url, '/hirers', machine);
  expect([hirers.status, hirers.headers['retry-after']]).toEqual([429, expect.any(String)]);
});

test('a machine whose role has no scope calls only what names the role', async () => {
  const stack = await start({ ROLE_SCOPES: 'recruiter=query:organizations' });
  const machine = await stack.playground.signIn('demo-backend');
  expect((await askAs(stack, machine, BANKSIA)).status).toBe(403);
  expect((await askAs(stack, machine, undefined, CONNECTED)).status).toBe(200);
  expect(stack.logText()).not.toContain('that ROLE_SCOPES does not name');
});

test('without MACHINE_SUBJECTS nobody is a machine', async () => {
  const stack = await start({ MACHINE_SUBJECTS: '' });
  const token = await stack.playground.signIn('demo-backend');
  const [bound, unbound] = [
    await askAs(stack, token, BANKSIA),
    await askAs(stack, token, undefined, CONNECTED),
  ];
  expect([bound.status, unbound.status]).toEqual([403, 403]);
  expect(stack.calls('graphql')).toBe(0);
});

test('a subject may be named together with its issuer', async () => {
  const stack = await start({ END_USER_ISSUER: 'urn:idp', MACHINE_SUBJECTS: 'urn:idp#demo-backend' });
  const machine = await stack.playground.signIn('demo-backend', { issuer: 'urn:idp' });
  expect((await askAs(stack, machine, BANKSIA)).status).toBe(200);
});

test('the role in a claim gives a user nothing, and the claims of a machine change nothing', async () => {
  const stack = await start({ HIRER_ACCESS: 'claim', HIRER_ACCESS_CLAIM: 'hirers' });
  const hirers = [
    { hirerId: BANKSIA, roles: ['machine'] },
    { hirerId: NUSANTARA, roles: ['member', 'machine'] },
  ];
  const user = await stack.playground.signIn('mallory', { claims: { hirers } });
  expect((await askAs(stack, user, BANKSIA)).status).toBe(403);
  expect((await askAs(stack, user, NUSANTARA)).status).toBe(200);
  expect((await askAs(stack, user, undefined, CONNECTED)).status).toBe(403);
  const listed = await getAs(stack.url, '/hirers', user);
  expect(listed.body).toMatchObject([{ hirerId: NUSANTARA, roles: ['member'] }]);
  const claiming = [{ hirerId: BANKSIA, roles: ['recruiter'] }];
  const machine = await stack.playground.signIn('demo-backend', { claims: { hirers: claiming } });
  expect((await askAs(stack, machine)).status).toBe(400);
  expect((await askAs(stack, machine, NUSANTARA)).status).toBe(200);
});
