import supertest from 'supertest';
import { folderOf } from '../support/machine.js';
import { applicationWithFile, getAs, type Answer, type Json } from '../support/start-stack.js';
import { jsonHead, openRaw } from '../support/raw-connection.js';
import { until } from '../support/until.js';
import { BANKSIA, NUSANTARA, useProxyStack, codeOf } from './proxy-stack.js';

const FREE = {
  query: 'query ($id: String!) { hiringOrganization(id: $id) { name } }',
  variables: { id: BANKSIA },
};
const HIRER = { documentId: 'Hirer' };
const SCHEME = { schemeId: 'seekAnzPublicTest' };
const CONNECTED = { documentId: 'ConnectedHirers', variables: SCHEME };

const OPERATIONS = {
  'recruiters.graphql':
    'query Recruiters($hirerId: String!) @role(any: ["recruiter"]) @hirer(variable: "hirerId") @token(use: PARTNER) { hiringOrganization(id: $hirerId) { id { value } } }',
};

const stack = useProxyStack(() => ({
  OPERATIONS_DIR: `shipped ${folderOf(OPERATIONS)}`,
}));
let machine: string;
beforeAll(async () => {
  machine = await machineToken();
});

/** A token as a back end gets it: by client credentials, in a form. */
async function machineToken(): Promise<string> {
  const { tokenUrl, clientId, clientSecret } = stack.playground.machine;
  const members = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const answer = await supertest(tokenUrl).post('').type('form').send(members);
  return answer.body.access_token;
}

const askAs = (token: string, body: unknown, hirerId?: string): Promise<Answer> =>
  stack.ask(body, { authorization: `Bearer ${token}`, 'x-hirer-id': hirerId });

const upstreamCalls = (): number => stack.calls('graphql') + stack.calls('auth-token');

const lastRecord = async (): Promise<Json> => (await stack.audit())[0];

const putMembership = (user: string, hirerId: string, roles: readonly string[]): Promise<Answer> =>
  supertest(stack.opsUrl)
    .put(`/memberships/${user}/${encodeURIComponent(hirerId)}`)
    .send({ roles });

describe('a machine', () => {
  test.each([
    ['Banksia and then Nusantara', [BANKSIA, NUSANTARA]],
    ['Nusantara and then Banksia', [NUSANTARA, BANKSIA]],
  ])('calls an operation for %s, each confined, recorded with the role of machines', async (_, hirers) => {
    for (const hirerId of hirers) {
      const { status, body } = await askAs(machine, HIRER, hirerId);
      expect([status, body.data.hiringOrganization.id.value]).toEqual([200, hirerId]);
      expect(await lastRecord()).toMatchObject({ outcome: 'ok', roles: ['machine'], hirerId });
    }
  });

  test('reads no object of another hirer than that of the header', async () => {
    const call = {
      documentId: 'Application',
      variables: { id: applicationWithFile(stack.playground, NUSANTARA) },
    };
    expect((await askAs(machine, call, NUSANTARA)).body.data.candidateProfile).toBeTruthy();
    const foreign = await askAs(machine, call, BANKSIA);
    expect([foreign.status, codeOf(foreign), foreign.body.data]).toEqual([403, 'FORBIDDEN', undefined]);
    const named = await askAs(machine, { ...HIRER, variables: { hirerId: NUSANTARA } }, BANKSIA);
    expect([named.status, codeOf(named), named.body.data]).toEqual([403, 'FORBIDDEN', undefined]);
  });

  test.each([
    ['an operation of a hirer, without X-Hirer-Id', HIRER, undefined, 400, 'BAD_USER_INPUT'],
    ['an array of them, without X-Hirer-Id', [HIRER, HIRER], undefined, 400, 'BAD_USER_INPUT'],
    ['X-Hirer-Id that is no identifier', HIRER, ' ', 400, 'BAD_USER_INPUT'],
    ['a text of its own', FREE, BANKSIA, 403, 'FORBIDDEN'],
    ['a text of its own, without X-Hirer-Id', FREE, undefined, 403, 'FORBIDDEN'],
    ['even the version', { query: '{ version }' }, undefined, 403, 'FORBIDDEN'],
    ['an operation that names other roles', { documentId: 'Recruiters' }, BANKSIA, 403, 'FORBIDDEN'],
    ['an operation of no hirer, for one', CONNECTED, BANKSIA, 400, 'BAD_USER_INPUT'],
  ])('is refused %s; nothing is sent upstream', async (_, body, hirerId, status, code) => {
    const before = upstreamCalls();
    const refused = await askAs(machine, body, hirerId);
    expect([refused.status, codeOf(refused), refused.body.data]).toEqual([status, code, undefined]);
    expect(upstreamCalls()).toBe(before);
    expect(await lastRecord()).toMatchObject({ roles: ['machine'], source: 'none' });
  });

  test('is refused two hirers in two headers, as a user is; nothing is sent upstream', async () => {
    const before = upstreamCalls();
    const body = JSON.stringify(HIRER);
    for (const token of [machine, stack.amelia]) {
      const head = jsonHead('POST', '/graphql', body.length).trimEnd();
      const headers = [
        `authorization: Bearer ${token}`,
        `x-hirer-id: ${BANKSIA}`,
        `X-Hirer-Id: ${NUSANTARA}`,
      ];
      const { receives } = await openRaw(stack.url, [head, ...headers, '', body].join('\r\n'));
      expect(await receives(/\}$/)).toMatch(/^HTTP\/1.1 400 [^]*X-Hirer-Id must be given once/);
    }
    expect(upstreamCalls()).toBe(before);
  });

  test('has the items of an array judged one by one', async () => {
    const mixed = [CONNECTED, HIRER, FREE];
    const without = await askAs(machine, mixed);
    expect(without.body.map((item: Json) => item.errors?.[0].extensions.code)).toEqual([
      undefined,
      'BAD_USER_INPUT',
      'FORBIDDEN',
    ]);
    const withHeader = await askAs(machine, mixed, BANKSIA);
    expect(withHeader.body.map((item: Json) => item.errors?.[0].extensions.code)).toEqual([
      'BAD_USER_INPUT',
      undefined,
      'FORBIDDEN',
    ]);
  });

  test('lists the hirers connected to the partner, and the webhook subscriptions', async () => {
    const connected = await askAs(machine, CONNECTED);
    const ids = connected.body.data.hiringOrganizations.edges.map(({ node }: Json) => node.id.value);
    expect(ids).toEqual(expect.arrayContaining([BANKSIA, NUSANTARA]));
    expect((await lastRecord()).hirerId).toBeFalsy();
    const subscriptions = await askAs(machine, { documentId: 'WebhookSubscriptions', variables: SCHEME });
    expect(subscriptions.body.data.webhookSubscriptions.edges).toEqual(expect.any(Array));
  });

  test.each([
    ['for a hirer', BANKSIA, 403],
    ['without one', undefined, 400], // Amelia belongs to several
  ])('alone calls an operation of no hirer: a user is refused it %s', async (_, hirerId, status) => {
    const before = upstreamCalls();
    const refused = await askAs(stack.amelia, CONNECTED, hirerId);
    expect([refused.status, refused.body.data]).toEqual([status, undefined]);
    expect(upstreamCalls()).toBe(before);
  });

  test('gets no browser token and no stream, and no link that needs no credentials: scope_forbidden', async () => {
    const headers = { authorization: `Bearer ${machine}` };
    const refusals = [
      await supertest(stack.url)
        .post('/auth/token')
        .set(headers)
        .send({ hirerId: BANKSIA, scope: 'query:organizations' }),
      await supertest(stack.url).get('/events/stream').set(headers),
      await supertest(stack.url).post('/attachments/links').set(headers).send({ path: '/attachments/x' }),
    ];
    expect(refusals.map(({ status, body }) => [status, body.code])).toEqual(
      refusals.map(() => [403, 'scope_forbidden']),
    );
    expect(await lastRecord()).toMatchObject({ roles: ['machine'], outcome: 'scope_forbidden' });
  });

  test('has no hirers and no roles of a membership, whatever the store says', async () => {
    expect((await putMembership('demo-backend', BANKSIA, ['recruiter'])).status).toBe(200);
    const hirers = await getAs(stack.url, '/hirers', machine);
    expect([hirers.status, hirers.body]).toEqual([200, []]);
    expect(codeOf(await askAs(machine, { documentId: 'Recruiters' }, BANKSIA))).toBe('FORBIDDEN');
    expect((await askAs(machine, HIRER)).status).toBe(400);
    expect((await askAs(machine, HIRER, NUSANTARA)).status).toBe(200);
  });
});

describe('answers of machines and users', () => {
  test('at the same time are not shared: neither gets what is sealed for the other', async () => {
    const call = {
      documentId: 'Application',
      variables: { id: applicationWithFile(stack.playground, BANKSIA) },
    };
    const [ofUser, ofMachine] = await Promise.all([
      askAs(stack.amelia, call, BANKSIA),
      askAs(machine, call, BANKSIA),
    ]);
    const linkIn = ({ body }: Answer): string => body.data.candidateProfile.attachments[0].url;
    const status = async (link: string, token: string) => (await getAs(stack.url, link, token)).status;
    expect(await status(linkIn(ofMachine), stack.amelia)).toBe(404);
    expect(await status(linkIn(ofUser), machine)).toBe(404);
    expect(await status(linkIn(ofMachine), machine)).toBe(200);
  });
});

describe('files at the same time', () => {
  afterEach(() => stack.playground.faults.clear());

  test('a machine may fetch as many as its limit allows; the next is 429', async () => {
    const most = 32;
    const call = {
      documentId: 'Application',
      variables: { id: applicationWithFile(stack.playground, BANKSIA) },
    };
    const { body } = await askAs(machine, call, BANKSIA);
    const link = body.data.candidateProfile.attachments[0].url as string;
    const stopping = new AbortController();
    const get = () =>
      fetch(new URL(link, stack.url), {
        headers: { authorization: `Bearer ${machine}` },
        signal: stopping.signal,
      });
    stack.playground.faults.add({ route: 'attachments', times: most, hang: true });
    const waiting = Promise.allSettled(Array.from({ length: most }, get));
    await until(() => stack.playground.faults.list().length === 0); // the upstream has all of them
    const refused = await get();
    expect([refused.status, await refused.json()]).toMatchObject([429, { code: 'rate_limited' }]);
    stopping.abort();
    expect(new Set((await waiting).map(({ status }) => status))).toEqual(new Set(['rejected']));
  });
});

describe('nobody else becomes a machine', () => {
  test('the ops route refuses the role', async () => {
    for (const roles of [['machine'], ['member', 'machine']]) {
      const refused = await putMembership('amelia', BANKSIA, roles);
      expect([refused.status, refused.body.code, refused.body.errors[0].field]).toEqual([
        400,
        'invalid_request',
        'roles',
      ]);
    }
    expect((await stack.ask(HIRER)).status).toBe(200); // as she was
  });

  test('a subject that only looks like that of a machine is a user', async () => {
    for (const subject of ['Demo-Backend', 'demo-backend2', 'demo-backend#', '#demo-backend']) {
      const token = await stack.playground.signIn(subject);
      expect([subject, codeOf(await askAs(token, HIRER, BANKSIA))]).toEqual([subject, 'FORBIDDEN']);
    }
  });
});
