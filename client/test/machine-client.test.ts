import { BffError, clientCredentials, MachineClient, type MachineOptions } from '../src/server/server.js';
import { json, startJsonServer, type Answerer, type JsonServer } from '../../test/support/json-server.js';

const HIRER = 'seekAnzPublicTest:organization:seek:93WyyF1h';
const LINK = '/attachments/sealed-1_2';
const FILE = Buffer.alloc(300_000, 'résumé ');

let server: JsonServer;
beforeAll(async () => {
  server = await startJsonServer(json({}));
});
beforeEach(() => {
  (server.received as unknown[]).length = 0;
});

/** A client whose token is `token-1`, and after a refusal `token-2` and so on. */
function open(options: Partial<MachineOptions> = {}): MachineClient {
  let count = 1;
  const getToken = ({ refresh }: { refresh: boolean }) => `token-${refresh ? (count += 1) : count}`;
  return new MachineClient({ url: server.url.href, getToken, ...options });
}

/** Answers by the token that is sent. */
function onlyFor(token: string, answer: Answerer): Answerer {
  return (received, response) =>
    received.headers.authorization === `Bearer ${token}`
      ? answer(received, response)
      : json(
          { errors: [{ message: 'no', extensions: { code: 'UNAUTHENTICATED', reason: 'unauthenticated' } }] },
          401,
        )(received, response);
}

async function faultOf(work: Promise<unknown>): Promise<BffError> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof BffError) return error;
  throw new Error('no BffError', { cause: error });
}

describe('call', () => {
  test('sends a registered operation by its name, for a hirer, without variables that have no value', async () => {
    server.answer = json({ data: { candidateProfile: null } });
    const data = await open({ language: 'id-ID' }).call(
      'Application',
      { id: 'a', note: undefined },
      { hirerId: HIRER },
    );
    expect(data).toEqual({ candidateProfile: null });
    const [{ method, url, headers, body }] = server.received as [(typeof server.received)[number]];
    expect([method, url]).toEqual(['POST', '/graphql']);
    expect(JSON.parse(body)).toEqual({ documentId: 'Application', variables: { id: 'a' } });
    expect(headers).toMatchObject({
      authorization: 'Bearer token-1',
      'x-hirer-id': HIRER,
      'accept-language': 'id-ID',
    });
  });

  test('sends a generated document by the name that it carries', async () => {
    server.answer = json({ data: {} });
    await open().call({ documentId: 'ConnectedHirers' }, { schemeId: 's' });
    expect(JSON.parse(server.received[0]!.body)).toMatchObject({ documentId: 'ConnectedHirers' });
    expect(server.received[0]!.headers['x-hirer-id']).toBeUndefined();
  });

  test('renews a refused token once', async () => {
    server.answer = onlyFor('token-2', json({ data: { version: '1' } }));
    const client = open();
    expect(await client.call('Version', {})).toEqual({ version: '1' });
    server.answer = onlyFor('none', json({}));
    expect((await faultOf(client.call('Version', {}))).code).toBe('UNAUTHENTICATED');
    const sent = server.received.map(({ headers }) => headers.authorization?.slice(-1));
    expect(sent).toEqual(['1', '2', '2', '3']);
  });

  test('renews no token for a 401 that the upstream answered', async () => {
    server.answer = json({ errors: [{ message: 'no', extensions: { code: 'UNAUTHENTICATED' } }] }, 401);
    expect((await faultOf(open().call('Post', {}))).code).toBe('UNAUTHENTICATED');
    expect(server.received).toHaveLength(1);
  });

  test('fails with the code of the answer, and keeps partial data', async () => {
    server.answer = json({
      data: { a: 1, b: null },
      errors: [{ message: 'no', path: ['b'], extensions: { code: 'FORBIDDEN' } }],
    });
    expect(await faultOf(open().call('Two', {}))).toMatchObject({
      code: 'FORBIDDEN',
      data: { a: 1, b: null },
    });
    server.answer = (_received, response) => response.writeHead(502).end('<html>');
    expect(await faultOf(open().call('Two', {}))).toMatchObject({ code: 'UPSTREAM_ERROR', status: 502 });
    server.answer = () => undefined;
    expect((await faultOf(open({ timeoutMs: 50 }).call('Two', {}))).code).toBe('NETWORK_ERROR');
  });
});

describe('download', () => {
  test('gives the file as it arrives, with a token that is renewed', async () => {
    server.answer = onlyFor('token-2', (_received, response) =>
      response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': FILE.length }).end(FILE),
    );
    const response = await open().download(LINK);
    expect(response.headers.get('content-type')).toBe('application/pdf');
    expect(Buffer.from(await response.arrayBuffer()).equals(FILE)).toBe(true);
  });

  test('fails where the file is gone, does not begin in time, or breaks off', async () => {
    server.answer = json({ code: 'not_found', title: 'Not found' }, 404);
    expect((await faultOf(open().download(LINK))).code).toBe('NOT_FOUND');
    server.answer = () => undefined;
    expect((await faultOf(open({ timeoutMs: 50 }).download(LINK))).code).toBe('NETWORK_ERROR');
    server.answer = (_received, response) => {
      response.writeHead(200, { 'content-length': FILE.length }).write(FILE.subarray(0, 1_000));
      setImmediate(() => response.destroy());
    };
    await expect(
      open()
        .download(LINK)
        .then((response) => response.arrayBuffer()),
    ).rejects.toThrow();
  });

  test('ends when its caller says so, in the middle of the file too', async () => {
    server.answer = (_received, response) => {
      response.writeHead(200, { 'content-length': FILE.length }).write('a');
    };
    const stop = new AbortController();
    const { body } = await open().download(LINK, { signal: stop.signal });
    stop.abort(new Error('stopped'));
    await expect(new Response(body).text()).rejects.toThrow('stopped');
  });
});

describe('clientCredentials', () => {
  let now = 0;
  const client = (options: object = {}) =>
    clientCredentials({
      tokenUrl: server.url.href,
      clientId: 'a:b',
      clientSecret: 's&1',
      now: () => now,
      ...options,
    });
  let count = 0;
  beforeEach(() => {
    count = 0;
    server.answer = (received, response) =>
      json({ access_token: `t${(count += 1)}`, expires_in: 3_600 })(received, response);
  });

  test('asks once for callers at the same time, and again a minute before the end', async () => {
    const getToken = client();
    const first = await Promise.all([getToken({ refresh: false }), getToken({ refresh: false })]);
    expect(first).toEqual(['t1', 't1']);
    now += 3_539_000;
    expect(await getToken({ refresh: false })).toBe('t1');
    now += 1_000;
    expect(await getToken({ refresh: false })).toBe('t2');
    now += 5_000;
    expect(await getToken({ refresh: true })).toBe('t3');
    expect(Object.fromEntries(new URLSearchParams(server.received[0]!.body))).toEqual({
      grant_type: 'client_credentials',
      client_id: 'a:b',
      client_secret: 's&1',
    });
  });

  test('asks once for callers whose token is refused one after the other', async () => {
    const getToken = client();
    await getToken({ refresh: false });
    now += 60_000;
    expect(await getToken({ refresh: true })).toBe('t2');
    now += 4_000;
    expect(await getToken({ refresh: true })).toBe('t2');
    now += 1_000;
    expect(await getToken({ refresh: true })).toBe('t3');
  });

  test('keeps a token whose life is stated as a text, as some providers do', async () => {
    server.answer = (received, response) =>
      json({ access_token: `t${(count += 1)}`, expires_in: '3600' })(received, response);
    const getToken = client();
    expect([await getToken({ refresh: false }), await getToken({ refresh: false })]).toEqual(['t1', 't1']);
  });

  test('sends id and secret as HTTP Basic where asked to', async () => {
    await client({ authentication: 'client_secret_basic', audience: 'bff' })({ refresh: false });
    const [{ headers, body }] = server.received as [(typeof server.received)[number]];
    expect(headers.authorization).toBe(`Basic ${Buffer.from('a%3Ab:s%261').toString('base64')}`);
    expect(body).toBe('grant_type=client_credentials&audience=bff');
  });

  test('names the resource that the token is for, where the provider goes by RFC 8707', async () => {
    await client({ resource: 'https://bff.partner.example' })({ refresh: false });
    const form = new URLSearchParams(server.received[0]!.body);
    expect(form.getAll('resource')).toEqual(['https://bff.partner.example']);
  });

  test('says that there is no token, without the secret, and asks again for the next caller', async () => {
    const getToken = client();
    server.answer = json({ error: 'invalid_client' }, 401);
    const fault = await faultOf(Promise.resolve(getToken({ refresh: false })));
    expect([fault.code, fault.status, JSON.stringify(fault)]).toEqual([
      'UNAUTHENTICATED',
      401,
      expect.not.stringContaining('s&1'),
    ]);
    server.answer = json({ access_token: 'later', expires_in: 60 });
    expect(await getToken({ refresh: false })).toBe('later');
  });
});
