import { promisify } from 'node:util';
import type { FastifyInstance } from 'fastify';
import { BffError } from '../../src/errors/bff-error.js';
import { aListener, jsonHead, openRaw, urlOf } from '../support/raw-connection.js';
import { until } from '../support/until.js';

/** The server's own clock decides: a test only waits for what it does. */
const SHORT = {
  headersTimeout: 300,
  requestTimeout: 600,
  connectionsCheckingInterval: 50,
  stalledMs: 600_000,
};
const LONG = { ...SHORT, headersTimeout: 600_000, requestTimeout: 600_000 };

let listener: FastifyInstance;
let url: string;
let refusedConnections: number;
let observed: number;
let asked: number;

async function listen(timeouts = LONG): Promise<void> {
  [refusedConnections, observed, asked] = [0, 0, 0];
  listener = aListener({}, () => void (observed += 1), { timeouts });
  listener.server.on('drop', () => (refusedConnections += 1));
  listener.post('/echo', (request) => ({ bytes: (request.body as Buffer).length }));
  listener.get('/large', () => {
    asked += 1;
    return 'x'.repeat(50_000_000);
  });
  listener.get('/hanging', () => {
    asked += 1;
    return new Promise(() => undefined);
  });
  const onRequest = (): never => {
    throw new BffError('unauthenticated');
  };
  listener.route({ method: ['GET', 'POST'], url: '/guarded', onRequest, handler: () => ({}) });
  url = await urlOf(listener);
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: test\r\n\r\n`;

/** A caller who asked for a large answer and does not read it. */
async function askForLarge(): ReturnType<typeof openRaw> {
  const caller = await openRaw(url);
  caller.socket.pause();
  caller.socket.write(get('/large'));
  await until(() => asked === 1);
  return caller;
}

const connections = promisify((done: (error: Error | null, count: number) => void) =>
  listener.server.getConnections(done),
);

test('an idle connection is kept for KEEP_ALIVE_SECONDS, which the answer tells', async () => {
  listener = aListener({ KEEP_ALIVE_SECONDS: 620 });
  listener.get('/', () => 'ok');
  const caller = await openRaw(await urlOf(listener), get('/'));
  expect(await caller.receives(/ok$/)).toMatch(/^Keep-Alive: timeout=620\r$/m);
});

test('the documented bounds reach the server', () => {
  expect(aListener().server).toMatchObject({
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: 95_000,
    timeout: 180_000,
    maxConnections: 10,
  });
});

describe('a caller that is late loses its connection', () => {
  beforeEach(() => listen(SHORT));

  test.each([
    ['headers that do not end', 'GET /echo HTTP/1.1\r\nhost: test\r\nx-slow: '],
    ['a body that does not end', `${jsonHead('POST', '/echo', 1_000)}{`],
    ['chunks that do not end', `${jsonHead('POST', '/echo')}1\r\n{\r\n`],
  ])('%s', async (_name, text) => {
    const caller = await openRaw(url, text);
    await caller.closed;
    expect(caller.received()).toMatch(/^HTTP\/1\.1 408 .*"code":"request_timeout"/s);
    expect(caller.received()).toMatch(/^x-request-id: [\da-f-]{36}\r$/m);
  });

  test('a connection on which nothing arrives', async () => {
    const caller = await openRaw(url);
    await caller.closed;
    expect(caller.received()).toMatch(/^HTTP\/1\.1 408 .*"code":"request_timeout"/s);
  });

  test('while bytes still come, too', async () => {
    const caller = await openRaw(url, jsonHead('POST', '/echo', 1_000_000));
    const drip = setInterval(() => caller.socket.write('x'), 20);
    await caller.closed;
    clearInterval(drip);
    expect(caller.received()).toMatch(/^HTTP\/1\.1 408 /);
  });
});

describe('a request that is answered before its body is whole', () => {
  beforeEach(() => listen());

  test.each([
    ['401', '/guarded', 1_000_000],
    ['401', '/guarded', undefined],
    ['404', '/nowhere', 1_000_000],
    ['404', '/nowhere', undefined],
    ['413', '/echo', 2_000_000],
    ['401', '/guarded', 1_000],
  ])('%s to %s with %s bytes frees its connection', async (status, path, bytes) => {
    const caller = await openRaw(url, jsonHead('POST', path, bytes));
    expect(await caller.receives(/}$/)).toMatch(`HTTP/1.1 ${status} `);
    await until(async () => (await connections()) === 0);
  });

  test('and goes on being sent gets its answer whole nevertheless', async () => {
    const caller = await openRaw(url, jsonHead('POST', '/guarded', 50_000_000));
    for (let sent = 0; sent < 200; sent += 1) caller.socket.write(Buffer.alloc(65_536, 'x'));
    const answer = await caller.receives(/}$/);
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    await caller.closed;
  });

  test('a chunked body above the limit is refused, and its connection freed', async () => {
    const caller = await openRaw(url, jsonHead('POST', '/echo'));
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    for (let sent = 0; sent < 20; sent += 1) caller.socket.write(chunk);
    expect(await caller.receives(/}$/)).toMatch(/^HTTP\/1\.1 413 /);
    await caller.closed;
  });

  test('keeps its connection when the rest of a small body comes', async () => {
    const caller = await openRaw(url, jsonHead('POST', '/guarded', 4));
    await caller.receives(/^HTTP\/1\.1 401 .*}$/s);
    caller.socket.write('null');
    caller.socket.write(`${jsonHead('POST', '/echo', 2)}{}`);
    expect(await caller.receives(/HTTP\/1\.1 200 .*}$/s)).not.toContain('connection: close');
  });
});

test.each(['/guarded', '/nowhere'])(
  'a request without a body that is refused keeps its connection: %s',
  async (path) => {
    await listen();
    const caller = await openRaw(url, get(path));
    expect(await caller.receives(/}$/)).not.toMatch(/\r\nconnection: close\r\n/i);
    caller.socket.write(`${jsonHead('POST', '/echo', 2)}{}`);
    await caller.receives(/{"bytes":2}$/);
  },
);

test('an unknown expectation changes nothing', async () => {
  await listen();
  const caller = await openRaw(url, get('/guarded').replace('host', 'expect: bananas\r\nhost'));
  expect(await caller.receives(/}$/)).toMatch(/^HTTP\/1\.1 401 [^]*\r\nx-request-id: /);
});

describe('requests that are sent without waiting for answers', () => {
  test('are bounded: the rest of what came at once reaches no handler', async () => {
    await listen();
    const caller = await openRaw(url, get('/hanging').repeat(1_000));
    await caller.closed;
    expect(asked).toBe(32);
  });

  test('are answered in their order, a few at a time', async () => {
    await listen();
    const sizes = Array.from({ length: 32 }, (_, index) => index + 2);
    const requests = sizes.map((bytes) => `${jsonHead('POST', '/echo', bytes)}{}${' '.repeat(bytes - 2)}`);
    const caller = await openRaw(url, requests.join(''));
    const answered = (): number[] =>
      [...caller.received().matchAll(/{"bytes":(\d+)}/g)].map(([, bytes]) => Number(bytes));
    await until(() => answered().length === sizes.length);
    expect(answered()).toEqual(sizes);
  });
});

describe('a caller that reads none of its answers', () => {
  test('loses its connection', async () => {
    await listen({ ...LONG, stalledMs: 200 });
    const caller = await askForLarge();
    await until(async () => (await connections()) === 0);
    expect(caller.socket.bytesRead).toBeLessThan(50_000_000);
  });
});

describe('connections above the bound', () => {
  beforeEach(() => listen());

  test('are refused and counted, and those that are open go on', async () => {
    const open = await Promise.all(Array.from({ length: 10 }, () => openRaw(url)));
    const another = await openRaw(url, `${jsonHead('POST', '/echo', 2)}{}`);
    await another.closed;
    expect(another.received()).toBe('');
    expect(refusedConnections).toBe(1);
    open[9]!.socket.write(`${jsonHead('POST', '/echo', 2)}{}`);
    await open[9]!.receives(/{"bytes":2}$/);
  });

  test('find room where connections are kept between two requests, and those with a request go on', async () => {
    const request = `${jsonHead('POST', '/echo', 2)}{}`;
    const kept = await Promise.all(Array.from({ length: 9 }, () => openRaw(url, request)));
    await Promise.all(kept.map((caller) => caller.receives(/{"bytes":2}$/)));
    const busy = await openRaw(url, jsonHead('POST', '/echo', 2));
    await (
      await openRaw(url, request)
    ).closed;
    await Promise.all(kept.map(({ closed }) => closed));

    const another = await openRaw(url, request);
    busy.socket.write('{}');
    for (const caller of [another, busy]) {
      expect(await caller.receives(/}$/)).toMatch(/^HTTP\/1\.1 200 [^]*{"bytes":2}$/);
    }
  });
});

test('connections above the bound do not cut answers that are still being read', async () => {
  await listen();
  const reading = await askForLarge();
  await Promise.all(Array.from({ length: 12 }, () => openRaw(url)));
  await until(() => refusedConnections > 0);
  reading.socket.resume();
  await until(() => reading.socket.bytesRead > 50_000_000);
});

test('closing the listener cuts no answer that is still being read', async () => {
  await listen();
  const reading = await askForLarge();
  const closed = listener.close();
  reading.socket.resume();
  await closed;
  await reading.closed;
  expect(reading.socket.bytesRead).toBeGreaterThan(50_000_000);
});

test('closing the listener does not wait for a connection whose last body came after its answer', async () => {
  await listen();
  let bytesRead = (): number => 0;
  listener.server.once('connection', (socket) => (bytesRead = () => socket.bytesRead));
  const head = jsonHead('POST', '/guarded', 4);
  const caller = await openRaw(url, head);
  await caller.receives(/^HTTP\/1\.1 401 .*}$/s);
  caller.socket.write('null');
  await until(() => bytesRead() === head.length + 4);
  await listener.close();
  await caller.closed;
});

test('once the listener is closed, every request that the shutdown cut was observed', async () => {
  await listen();
  const callers = await Promise.all(Array.from({ length: 5 }, () => openRaw(url, get('/hanging'))));
  await until(() => asked === callers.length);
  const closed = listener.close();
  listener.server.closeAllConnections();
  await closed;
  expect(observed).toBe(callers.length);
});
