import supertest from 'supertest';
import { askToken, type Answer } from '../support/ask-token.js';
import { startStack, type Stack } from '../support/start-stack.js';

const HEADER = 'user,hirerId,roles';

let stack: Stack;
let hirerId: string;
beforeAll(async () => {
  stack = await startStack();
  hirerId = stack.playground.demo.hirers[0]!.hirerId;
});

async function importCsv(csv: string | Buffer, query = ''): Promise<Answer> {
  const headers = { 'content-type': 'text/csv', 'x-ops-actor': 'anna' };
  return supertest(stack.opsUrl).post(`/memberships/import${query}`).set(headers).send(csv);
}

async function auditOf(action: string): Promise<any[]> {
  return (await supertest(stack.opsUrl).get(`/audit?action=${action}`)).body.items;
}

describe('import of memberships', () => {
  test('a dry run tells what would change and changes nothing', async () => {
    const answer = await importCsv(
      `${HEADER}\nzoe,${hirerId},member\namelia,${hirerId},member\n`,
      '?dryRun=true',
    );
    expect(answer.body).toEqual({ dryRun: true, rows: 2, changed: 1, unchanged: 1, removed: 0 });
    expect((await supertest(stack.opsUrl).get('/memberships?user=zoe')).body.items).toEqual([]);
  });

  test('an import is in force for the next request, and each change has its record with who made it', async () => {
    const zoe = await stack.playground.signIn('zoe');
    const ask = (): Promise<Answer> => askToken(stack, zoe, { hirerId, scope: 'query:organizations' });
    expect((await ask()).status).toBe(403);
    const before = (await auditOf('membership.grant')).length;
    const answer = await importCsv(`${HEADER}\nzoe,${hirerId},member\namelia,${hirerId},member\n`);
    expect(answer.body).toEqual({ dryRun: false, rows: 2, changed: 1, unchanged: 1, removed: 0 });
    expect((await ask()).status).toBe(200);
    const records = await auditOf('membership.grant');
    expect(records).toHaveLength(before + 1);
    expect(records[0]).toMatchObject({ hirerId, actor: 'anna', address: '127.0.0.1', outcome: 'ok' });
  });

  test('a file in another encoding is refused: its names would become others', async () => {
    const file = Buffer.from(`${HEADER}\nren\u00e9,${hirerId},member\n`, 'latin1');
    expect((await importCsv(file)).status).toBe(415);
  });

  test('one bad row refuses the whole file and every bad row is named', async () => {
    const answer = await importCsv(`${HEADER}\nyan,${hirerId},member\n,${hirerId},member\nyan,,member\n`);
    expect(answer.status).toBe(400);
    expect(answer.body.errors.map(({ field }: { field: string }) => field)).toEqual(['line 3', 'line 4']);
    expect((await supertest(stack.opsUrl).get('/memberships?user=yan')).body.items).toEqual([]);
  });
});

describe('import of memberships that replaces', () => {
  const usersOf = async (hirer: string): Promise<string[]> =>
    (await supertest(stack.opsUrl).get('/memberships').query({ hirer })).body.items.map(
      ({ user }: any) => user,
    );

  test('ends what is not in the file, says so in a dry run first, and records each end', async () => {
    const other = 'seek:org:other';
    await importCsv(`${HEADER}\nrob,${other},\nsue,${other},\n`);
    const before = (await auditOf('membership.revoke')).length;
    const { items } = (await supertest(stack.opsUrl).get('/memberships')).body;
    const kept = items.filter(({ user }: any) => user !== 'rob');
    const csv = [HEADER, ...kept.map((one: any) => `${one.user},${one.hirerId},${one.roles.join(' ')}`)].join(
      '\n',
    );
    const dry = await importCsv(csv, '?replace=true&dryRun=true');
    expect(dry.body).toEqual({
      dryRun: true,
      rows: kept.length,
      changed: 0,
      unchanged: kept.length,
      removed: 1,
    });
    expect(await usersOf(other)).toEqual(['rob', 'sue']);
    expect((await importCsv(csv, '?replace=true')).body).toMatchObject({ dryRun: false, removed: 1 });
    expect(await usersOf(other)).toEqual(['sue']);
    const ended = (await auditOf('membership.revoke')).slice(0, -before || undefined);
    expect(ended).toMatchObject([{ hirerId: other, actor: 'anna', outcome: 'ok' }]);
  });

  test('refuses a file without a row, which would end everything', async () => {
    const before = (await supertest(stack.opsUrl).get('/memberships')).body.items;
    const answer = await importCsv(`${HEADER}\n`, '?replace=true');
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: 'line 1' }] } });
    expect((await supertest(stack.opsUrl).get('/memberships')).body.items).toEqual(before);
  });
});

describe('log level', () => {
  const set = async (level: unknown): Promise<Answer> =>
    supertest(stack.opsUrl).put('/log-level').send({ level });

  test('changes at run time, and leaves a record', async () => {
    expect((await set('silent')).body).toEqual({ level: 'silent' });
    const before = stack.logText();
    await supertest(stack.opsUrl).get('/livez');
    expect(stack.logText()).toBe(before);
    expect((await set('debug')).body).toEqual({ level: 'debug' });
    expect((await auditOf('log.level')).map(({ subject }) => subject)).toEqual(['debug', 'silent']);
  });
});
