import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import supertest from 'supertest';
import { MachineSubjects } from '../../src/auth/machine-subjects.js';
import { CONFIG_EXIT_CODE, type Environment } from '../../src/config/load-config.js';
import { startIssuer, type Issuer } from '../support/an-issuer.js';
import { askToken } from '../support/ask-token.js';
import { rsaKeys } from '../support/sign-token.js';
import { runProcess } from '../support/start-process.js';
import { startStack, type Stack } from '../support/start-stack.js';

const HIRER = 'seekAnzPublicTest:organization:seek:93WyyF1h';

let folder: string;
/** The provider under its old and its new address, and another provider with users of the same subjects. */
let [before, now, other]: Issuer[] = [];
let stack: Stack | undefined;
beforeAll(async () => {
  [before, now, other] = await Promise.all([1, 2, 3].map(() => startIssuer('RS256', rsaKeys())));
});
afterAll(() => Promise.all([before, now, other].map((issuer) => issuer!.server.close())));
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'bff-issuers-'))));
afterEach(async () => {
  await stack?.close();
  stack = undefined;
  rmSync(folder, { recursive: true });
});

/** Starts a service on the same store, by these issuers. */
async function start(issuers: readonly Issuer[], settings: Environment = {}): Promise<void> {
  await stack?.close();
  stack = undefined;
  stack = await startStack({
    DATA_DIR: folder,
    END_USER_JWKS_URL: undefined,
    END_USER_ISSUER: issuers.map(({ url }) => url).join(),
    END_USER_AUDIENCE: 'partner-bff',
    ...settings,
  });
}
/** What the user whom an issuer signs in is answered to a request for a browser token. */
async function ask(issuer: Issuer | undefined, sub: string): Promise<number> {
  const token = issuer!.sign({ sub, exp: Date.now() / 1000 + 600 });
  return (await askToken(stack!, token, { hirerId: HIRER, scope: 'query:organizations' })).status;
}
const member = (issuer: Issuer | undefined, sub: string) =>
  supertest(`${stack!.opsUrl}/memberships/${sub}/${encodeURIComponent(HIRER)}`)
    .put('')
    .query({ issuer: issuer!.url })
    .expect(200);
const pseudonym = async (issuer: Issuer | undefined, subject: string): Promise<string> =>
  (await supertest(stack!.opsUrl).get('/users').query({ subject, issuer: issuer!.url })).body.user;
/** The pseudonyms that the audit trail names for issued tokens. */
async function audited(): Promise<string[]> {
  const { body } = await supertest(stack!.opsUrl).get('/audit?action=token&outcome=issued');
  return body.items.map(({ user }: { user: string }) => user);
}

test.each([
  ['first', (one: Issuer, two: Issuer) => [one, two]],
  ['last', (one: Issuer, two: Issuer) => [two, one]],
])(
  'an issuer, the %s of two, changes its address and back: its users keep memberships and pseudonym, others get none',
  async (_place, order) => {
    await start(order(before!, other!));
    await member(before, 'ada');
    const ada = await pseudonym(before, 'ada');
    expect([await ask(before, 'ada'), await ask(other, 'ada')]).toEqual([200, 403]);

    await start(order(now!, other!), { END_USER_FORMER_ISSUER: `${now!.url}#${before!.url}` });
    expect(await Promise.all([now, before, other].map((issuer) => ask(issuer, 'ada')))).toEqual([
      200, 401, 403,
    ]);
    expect([await pseudonym(now, 'ada'), await pseudonym(before, 'ada')]).toEqual([ada, ada]);
    expect(await audited()).toEqual([ada, ada]);
    await member(now, 'grace');
    expect([await ask(now, 'grace'), await ask(other, 'grace')]).toEqual([200, 403]);

    await start(order(before!, other!));
    expect(await Promise.all([before, now, other].map((issuer) => ask(issuer, 'ada')))).toEqual([
      200, 401, 403,
    ]);
    expect([await ask(before, 'grace'), await ask(other, 'grace')]).toEqual([200, 403]);
  },
);

test('while tokens of both addresses are about, both are of one user', async () => {
  await start([now!, before!], { END_USER_FORMER_ISSUER: before!.url });
  await member(now, 'ada');
  expect([await ask(before, 'ada'), await ask(now, 'ada')]).toEqual([200, 200]);
  expect(new Set(await audited()).size).toBe(1);
});

test.each([undefined, 'https://now.test', 'https://before.test'])(
  'a machine that is listed of %s is one under the former name of its issuer',
  (issuer) => {
    const machines = new MachineSubjects({
      END_USER_ISSUER: ['https://now.test', 'https://other.test'],
      END_USER_FORMER_ISSUER: [{ issuer: undefined, former: 'https://before.test' }],
      MACHINE_SUBJECTS: [{ issuer, subject: 'robot' }],
    });
    const known = ['https://before.test', 'https://now.test', 'https://other.test'];
    expect(known.map((one) => machines.has(one, 'robot'))).toEqual([true, false, false]);
  },
);

test('without the setting, nobody of a new issuer is a user of another one', async () => {
  await start([before!]);
  await member(before, 'ada');
  await start([now!]);
  expect(await ask(now, 'ada')).toBe(403);
});

test('a start that would hide or join users of the new address is refused, and changes nothing', async () => {
  await start([before!]);
  await member(before, 'ada');
  await start([now!]);
  await member(now, 'ada');
  const { environment } = stack!;
  await stack!.close();
  stack = undefined;
  const { code, text } = await runProcess({ ...environment, END_USER_FORMER_ISSUER: before!.url });
  expect(code).toBe(CONFIG_EXIT_CODE);
  expect(text).toMatch(/END_USER_FORMER_ISSUER would hide the memberships of \d+ users/);
  await start([now!, before!]);
  expect([await ask(before, 'ada'), await ask(now, 'ada')]).toEqual([200, 200]);
  expect(new Set(await audited()).size).toBe(2);
});
