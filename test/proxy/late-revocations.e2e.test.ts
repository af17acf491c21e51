import supertest from 'supertest';
import { BrowserTokens } from '../../src/token/browser-tokens.js';
import { RequestLimit } from '../../src/token/rate-limits.js';
import { folderOf } from '../support/machine.js';
import { getAs, askToken, type Answer } from '../support/start-stack.js';
import { json } from '../support/json-server.js';
import { until } from '../support/until.js';
import { BANKSIA, NUSANTARA, useScriptedStack } from './proxy-stack.js';

const SCOPES = 'query:ontologies query:organizations';
const OPERATIONS_DIR = folderOf({
  'files.graphql': `query Files($hirerId: String!) @hirer(variable: "hirerId") @token(use: PARTNER) @role(any: ["full", "few"]) {
  files(hirerId: $hirerId) { url @attachment }
}`,
  'leading.graphql': `query Leading($hirerId: String!) @hirer(variable: "hirerId") @token(use: PARTNER) @role(any: ["full"]) {
  files(hirerId: $hirerId) { url @attachment }
}`,
  'owner.graphql': `query Owner($id: String!) @hirer(path: "thing.hirer.id.value") @token(use: PARTNER) {
  thing(id: $id) { hirer { id { value } } }
}`,
  'guarded.graphql': `mutation Guarded($id: String!) @hirer(query: "Owner", variables: { id: "id" }) @token(use: PARTNER) @role(any: ["full", "few"]) {
  x(id: $id)
}`,
});

const { upstream, stack } = useScriptedStack({
  OPERATIONS_DIR,
  ATTACHMENT_PATH_PATTERN: '^/attachments/',
  ROLE_SCOPES: `full=${SCOPES};few=query:ontologies`,
});
let subject: string;
let user: string;
let users = 0;
/** Answers of the upstream wait for it. */
let gate: Promise<void>;
let open: () => void;
let held: number;
const sent: string[] = [];
/** True where no call has an answer. */
let isBroken = false;

/** Waits in this process as the upstream's answers do. */
async function heldHere(): Promise<void> {
  held += 1;
  await gate;
}

function hold(): void {
  ({ promise: gate, resolve: open } = Promise.withResolvers<void>());
  held = 0;
}

beforeAll(() => {
  const url = `${upstream.url}/attachments/file`;
  const thing = { hirer: { id: { value: BANKSIA } } };
  upstream.script = () => JSON.stringify({ data: { files: [{ url }], h0: { name: 'name' }, thing, x: 1 } });
  upstream.sendFile = json('a file');
  const answer = upstream.server.answer;
  upstream.server.answer = (call, response) => {
    held += 1;
    sent.push(call.url);
    void gate.then(() => (isBroken ? response.destroy() : answer(call, response)));
  };
});
beforeEach(async () => {
  subject = `user-${(users += 1)}`;
  user = await stack.playground.signIn(subject);
  gate = Promise.resolve();
  isBroken = false;
  await give('full');
  await give('full', NUSANTARA);
});

const membership = (hirerId: string): string => `/memberships/${subject}/${encodeURIComponent(hirerId)}`;
const give = async (role: string, hirerId: string = BANKSIA): Promise<void> => {
  await supertest(stack.opsUrl)
    .put(membership(hirerId))
    .send({ roles: [role] })
    .expect(200);
};
const CHANGES = {
  removed: async (): Promise<void> =>
    void (await supertest(stack.opsUrl).delete(membership(BANKSIA)).expect(204)),
  narrowed: () => give('few'),
  erased: async (): Promise<void> =>
    void (await supertest(stack.opsUrl).delete(`/users/${subject}`).expect(200)),
};

const token = (): Promise<Answer> => askToken(stack, user, { hirerId: BANKSIA, scope: SCOPES });
const graphql = (body: unknown): Promise<Answer> => stack.ask(body, { authorization: `Bearer ${user}` });
const get = async (path: string): Promise<Answer> => getAs(stack.url, path, user);
const FREE = { query: '{ x }' };
const MUTATION = { query: 'mutation { x }' };
const GUARDED = { documentId: 'Guarded', variables: { id: 'a' } };

/** The answer to a request during whose wait for the upstream something changes. */
async function duringWait(ask: () => Promise<Answer>, change: () => Promise<void>): Promise<Answer> {
  hold();
  const asked = ask();
  await until(() => held > 0);
  await change();
  open();
  return asked;
}

describe('a revocation that was acknowledged while the upstream was waited for', () => {
  test.each([
    ['removed', 'hirer_forbidden'],
    ['narrowed', 'scope_forbidden'],
    ['erased', 'hirer_forbidden'],
  ] as const)('of a user %s: no token', async (change, code) => {
    expect(await duringWait(token, CHANGES[change])).toMatchObject({ status: 403, body: { code } });
  });

  test.each([
    ['a registered operation', 'removed', { documentId: 'Files' }],
    ['a registered operation for its role', 'narrowed', { documentId: 'Leading' }],
    ['a text', 'removed', FREE],
    ['a text', 'narrowed', FREE],
    ['an array', 'erased', [{ documentId: 'Files' }, { documentId: 'Files' }]],
  ] as const)('%s of a user %s: no data', async (_what, change, body) => {
    if (body === FREE) await graphql(FREE); // the token is cached, the operation waits
    const answer = await duringWait(() => graphql(body), CHANGES[change]);
    expect([answer.status, answer.text.includes('"data"')]).toEqual([403, false]);
  });

  test.each([
    ['a text whose token is minted', 'removed', MUTATION, '/auth/token'],
    ['a text whose token is minted', 'narrowed', MUTATION, '/auth/token'],
    ['an operation whose guard is asked', 'erased', GUARDED, '/graphql'],
  ] as const)('%s of a user %s: nothing more is sent', async (_what, change, body, waited) => {
    await graphql({ documentId: 'Files' }); // there is a partner token
    sent.length = 0;
    expect((await duringWait(() => graphql(body), CHANGES[change])).status).toBe(403);
    expect(sent).toEqual([waited]);
  });

  test('of two operations in an array the one that is not open any more fails alone, whichever is asked first', async () => {
    await graphql({ documentId: 'Files' });
    for (const names of [
      ['Files', 'Leading'],
      ['Leading', 'Files'],
    ]) {
      await give('full');
      const array = names.map((documentId) => ({ documentId }));
      const { status, body } = await duringWait(() => graphql(array), CHANGES.narrowed);
      expect(status).toBe(200);
      expect(body.map(({ data }: Answer['body']) => data !== undefined)).toEqual(
        names.map((one) => one === 'Files'),
      );
      expect(body[names.indexOf('Leading')].errors[0].extensions.reason).toBe('scope_forbidden');
    }
  });

  test('a query that the upstream could not answer is not sent again', async () => {
    await graphql(FREE); // the token is cached
    sent.length = 0;
    isBroken = true;
    expect((await duringWait(() => graphql(FREE), CHANGES.removed)).status).toBe(403);
    expect(sent).toEqual(['/graphql']);
  });

  test('nothing is sent for a user removed while the request limit is waited for', async () => {
    expect((await graphql(MUTATION)).status).toBe(200); // the tokens are cached
    sent.length = 0;
    jest.spyOn(RequestLimit.prototype, 'takeUpTo').mockImplementationOnce(async (_caller, points) => {
      await heldHere();
      return { points, refusal: undefined };
    });
    expect([(await duringWait(() => graphql(MUTATION), CHANGES.removed)).status, sent]).toEqual([403, []]);
  });

  test('nothing is sent for a user removed while another replica is asked for the token', async () => {
    sent.length = 0;
    jest.spyOn(BrowserTokens.prototype, 'get').mockImplementationOnce(async () => {
      await heldHere();
      return { accessToken: 'token', expiresAt: Date.now() + 60_000, tokenHash: '', source: 'cache' };
    });
    expect([(await duringWait(() => graphql(FREE), CHANGES.removed)).status, sent]).toEqual([403, []]);
  });

  test('no file', async () => {
    const { body } = await graphql({ documentId: 'Files' });
    const link = body.data.files[0].url as string;
    expect((await get(link)).status).toBe(200);
    expect(await duringWait(() => get(link), CHANGES.removed)).toMatchObject({
      status: 403,
      body: { code: 'hirer_forbidden' },
    });
  });

  test('the hirer is not listed', async () => {
    const { status, body } = await duringWait(() => get('/hirers'), CHANGES.removed);
    expect([status, body.map(({ hirerId }: { hirerId: string }) => hirerId)]).toEqual([200, [NUSANTARA]]);
  });

  test('the hirer is not listed to a user removed while the request limit is waited for', async () => {
    await get('/hirers'); // the names are cached
    jest.spyOn(RequestLimit.prototype, 'admit').mockImplementationOnce(heldHere);
    const { body } = await duringWait(() => get('/hirers'), CHANGES.removed);
    expect(body.map(({ hirerId }: { hirerId: string }) => hirerId)).toEqual([NUSANTARA]);
  });

  test('the audit record of an erased user that comes afterwards has no pseudonym', async () => {
    const late = await duringWait(() => graphql({ documentId: 'Files' }), CHANGES.erased);
    const [record] = await stack.audit(`request=${late.headers['x-request-id']}`);
    expect(record).toMatchObject({ action: 'graphql', outcome: 'hirer_forbidden' });
    expect([record.user, record.sessionId]).toEqual([null, null]);
  });
});
