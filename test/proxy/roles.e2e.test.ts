import supertest from 'supertest';
import { folderOf } from '../support/machine.js';
import type { Answer, Json } from '../support/start-stack.js';
import { BANKSIA, startProxyStack, useProxyStack, codeOf } from './proxy-stack.js';

const HIRER_QUERY = 'hiringOrganization(id: $hirerId) { id { value } }';
const VERSION = { query: '{ version }' };
const FREE = {
  query: 'query ($id: String!) { hiringOrganization(id: $id) { name } }',
  variables: { id: BANKSIA },
};

const OPERATIONS = {
  'close.graphql': `mutation Close($input: ClosePostedPositionProfileInput!) @role(any: ["recruiter", "owner"])
     @hirer(query: "PositionProfileOwner", variables: {id: "input.positionProfile.profileId"}) @token(use: PARTNER) {
       closePostedPositionProfile(input: $input) { positionProfile { profileId { value } } } }`,
  'audited.graphql': `query Audited($hirerId: String!) @role(any: ["auditor"]) @hirer(variable: "hirerId") @token(use: PARTNER) { ${HIRER_QUERY} }`,
  'audited-by-browser.graphql': `query AuditedByBrowser($hirerId: String!) @role(any: ["auditor"]) @hirer(variable: "hirerId") { ${HIRER_QUERY} }`,
  'version.graphql': 'query Version { version }',
};
const OPERATIONS_DIR = `shipped ${folderOf(OPERATIONS)}`;

const stack = useProxyStack(() => ({
  OPERATIONS_DIR,
  ROLE_SCOPES: 'viewer=query:organizations; auditor=; Member=query:organizations',
}));
let profileId: string;
beforeAll(() => {
  profileId = [...stack.playground.world.positionProfiles.values()].find(
    ({ hirerId, ad }) => hirerId === BANKSIA && ad !== null,
  )!.id;
});

const closeProfile = () => ({
  documentId: 'Close',
  variables: { input: { positionProfile: { profileId } } },
});

async function askAs(roles: readonly string[], body: unknown): Promise<Answer> {
  const url = `${stack.opsUrl}/memberships/amelia/${encodeURIComponent(BANKSIA)}`;
  expect((await supertest(url).put('').send({ roles })).status).toBe(200);
  return stack.ask(body);
}

const upstreamCalls = (): number => stack.calls('graphql') + stack.calls('auth-token');

describe('roles', () => {
  test.each([
    ['a role with a scope', ['viewer'], { documentId: 'Hirer' }],
    ['the role "member"', ['member'], { documentId: 'Hirer' }],
    ['a role that is named, without any scope', ['auditor'], { documentId: 'Audited' }],
    ['one of several roles that is named', ['viewer', 'auditor'], { documentId: 'AuditedByBrowser' }],
    ['a role with a scope, in a text of its own', ['viewer'], FREE],
  ])('%s may call an operation', async (_, roles, body) => {
    const answer = await askAs(roles, body);
    expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
    expect(answer.body).toHaveProperty('data');
  });

  test.each([
    ['a role that ROLE_SCOPES does not name', ['Viewer'], { documentId: 'Hirer' }],
    ['a role that ROLE_SCOPES gives no scope', ['auditor'], { documentId: 'Hirer' }],
    ['a role without a scope, even where nothing is confined,', ['auditor'], { documentId: 'Version' }],
    ['a role without a scope, in a text of its own,', ['owner'], FREE],
    ['a role that is not among those named', ['member'], { documentId: 'Audited' }],
    ['a role that is named in other letters', ['Auditor'], { documentId: 'Audited' }],
    [
      'a role without a scope that is named where a browser token is used',
      ['auditor'],
      { documentId: 'AuditedByBrowser' },
    ],
    ['a member without the role for a mutation', ['member', 'viewer'], 'close'],
  ])('%s may not: FORBIDDEN, recorded, without an upstream call', async (_, roles, body) => {
    const before = upstreamCalls();
    const refused = await askAs(roles, body === 'close' ? closeProfile() : body);
    expect([refused.status, codeOf(refused), refused.body.data]).toEqual([403, 'FORBIDDEN', undefined]);
    expect(upstreamCalls()).toBe(before);
    const [record] = await stack.audit('action=graphql');
    expect(record).toMatchObject({ outcome: 'scope_forbidden', roles, source: 'none' });
  });

  test('a refusal by role comes before the request limit, and does not count against it', async () => {
    const limited = await startProxyStack({
      OPERATIONS_DIR,
      ROLE_SCOPES: 'viewer=query:organizations',
      RATE_LIMIT_REQUESTS_PER_MINUTE: '2',
    });
    const statuses: number[] = [];
    for (const documentId of ['Audited', 'Audited', 'Audited', 'Hirer', 'Hirer', 'Hirer', 'Audited']) {
      statuses.push((await limited.ask({ documentId })).status);
    }
    expect(statuses).toEqual([403, 403, 403, 200, 200, 429, 403]);
  });

  test('the guard of a mutation runs for a role that may not call it itself', async () => {
    const { status, body } = await askAs(['recruiter'], closeProfile());
    expect([status, body.errors[0].path]).toEqual([200, ['closePostedPositionProfile']]); // the upstream's own answer
    const alone = await stack.ask({ documentId: 'PositionProfileOwner', variables: { id: profileId } });
    expect(alone.body.errors[0].extensions.code).toBe('FORBIDDEN');
  });

  test('items of an array fail alone', async () => {
    const items = [{ documentId: 'Hirer' }, { documentId: 'Audited' }, VERSION, closeProfile()];
    const { status, body } = await askAs(['auditor'], items);
    expect(status).toBe(200);
    expect(body.map(({ errors }: Json) => errors?.[0].extensions.code)).toEqual([
      'FORBIDDEN',
      undefined,
      'FORBIDDEN',
      'FORBIDDEN',
    ]);
  });
});
