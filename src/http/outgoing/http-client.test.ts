import { createSecureServer, type ServerHttp2Session } from 'node:http2';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { makeCertificate } from '../../../playground/src/http/certificate.js';
import { json, startJsonServer, type Answerer } from '../../../test/support/json-server.js';
import { portOf, usedHeapBytes } from '../../../test/support/machine.js';
import { until } from '../../../test/support/until.js';
import { openTcpGate } from '../../../test/support/raw-connection.js';
import { Cancellation, RequestContext } from '../request-context.js';
import { OutgoingRequest, type ExchangeFault } from './exchange.js';
import { HttpClient, type EndedCall } from './http-client.js';

const SETTINGS = { USER_AGENT: 'test', OUTBOUND_PROXY: undefined, OUTBOUND_PROXY_EXCEPT: [] };

/** What is told of a call to a server that answers so. */
async function told(how: 'send' | 'open', answer: Answerer, timeoutMs: number): Promise<string[]> {
  const server = await startJsonServer(answer);
  const outcomes: string[] = [];
  const onEnd = ({ outcome }: EndedCall): void => void outcomes.push(outcome);
  const client = new HttpClient('event-sink', server.url, SETTINGS, { connectionsMax: 1, onEnd });
  const request = new OutgoingRequest('GET', '/', {}, { bodyBytesMax: 10, timeoutMs });
  const answered = await client[how](request, RequestContext.background()).catch(() => undefined);
  if (answered && !Buffer.isBuffer(answered.body)) answered.body.resume();
  await Promise.all([client.close(), server.close()]);
  return outcomes;
}

test.each<[string, Answerer, number]>([
  ['2xx', json({}), 5_000],
  ['5xx', json({}, 503), 5_000],
  ['too_large', json('x'.repeat(11)), 5_000],
  ['connection', (_received, response) => void response.destroy(), 5_000],
  ['timeout', () => undefined, 20],
])('a call that ends so is told once, as %s', async (outcome, answer, timeoutMs) => {
  expect(await told('send', answer, timeoutMs)).toEqual([outcome]);
  if (outcome !== 'too_large') expect(await told('open', answer, timeoutMs)).toEqual([outcome]); // a stream has no bound
});

test.each(['send', 'open'] as const)('what was cancelled before is not sent: %s', async (how) => {
  const server = await startJsonServer(json({}));
  const client = new HttpClient('event-sink', server.url, SETTINGS, { connectionsMax: 1 });
  const cancellation = new Cancellation();
  cancellation.cancel();
  const bounds = { bodyBytesMax: 10, timeoutMs: 5_000, cancellation };
  const asked = client[how](new OutgoingRequest('GET', '/', {}, bounds), RequestContext.background());
  await expect(asked).rejects.toMatchObject({ kind: 'aborted' });
  expect(server.received).toEqual([]);
  await client.close();
});

/** How two calls end to a server whose connections fell silent: only the first is impatient. */
async function outcomesAfterSilence(origin: URL, ca: string | undefined): Promise<string[]> {
  const trusted = getCACertificates('default');
  if (ca !== undefined) setDefaultCACertificates([...trusted, ca]);
  const gate = await openTcpGate(Number(origin.port), '127.0.0.1');
  const url = new URL(origin);
  url.port = String(gate.port);
  const client = new HttpClient('membership-service', url, SETTINGS, { connectionsMax: 10 });
  const call = async (timeoutMs: number): Promise<string> => {
    const request = new OutgoingRequest('GET', '/', {}, { bodyBytesMax: 10, timeoutMs });
    return client.send(request, RequestContext.background()).then(
      ({ status }) => `${status}`,
      ({ kind }: ExchangeFault) => kind,
    );
  };
  expect(new Set(await Promise.all(Array.from({ length: 10 }, () => call(60_000))))).toEqual(
    new Set(['200']),
  );
  gate.silence();
  const outcomes = [await call(100), await call(60_000)];
  setDefaultCACertificates(trusted);
  await Promise.all([client.close(), gate.close()]);
  return outcomes;
}

describe('connections that fall silent, without a word of the other side', () => {
  test('are replaced after one call that timed out: a session of HTTP/2', async () => {
    const { cert, key } = await makeCertificate(['127.0.0.1'], Date.now());
    const server = createSecureServer({ cert, key }, (_request, response) => void response.end('{}'));
    const sessions: ServerHttp2Session[] = [];
    server.on('session', (session) => sessions.push(session));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const origin = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
    expect(await outcomesAfterSilence(origin, cert)).toEqual(['timeout', '200']);
    for (const session of sessions) session.destroy();
    server.close();
  });

  test('are replaced after one call that timed out: ten of HTTP/1.1', async () => {
    const server = await startJsonServer(json({}));
    expect(await outcomesAfterSilence(server.url, undefined)).toEqual(['timeout', '200']);
  });
});

test.each(['send', 'open'] as const)(
  'the deadline holds while a connection is being opened: %s',
  async (how) => {
    const server = createServer((socket) => void socket.on('error', () => undefined)); // says nothing, not in TLS either
    const url = new URL(`https://127.0.0.1:${await portOf(server)}`);
    const client = new HttpClient('attachment', url, SETTINGS, { connectionsMax: 1 });
    const request = new OutgoingRequest('GET', '/', {}, { bodyBytesMax: 10, timeoutMs: 200 });
    const begunAt = performance.now();
    const call = client[how](request, RequestContext.background());
    await expect(call).rejects.toMatchObject({ kind: 'timeout' });
    expect(performance.now() - begunAt).toBeLessThan(1_500); // connecting may take two seconds
    await client.close();
    server.close();
  },
);

test('a client that is closed calls nobody any more, also when a call that waited long is left in that moment', async () => {
  const server = await startJsonServer(() => undefined);
  const client = new HttpClient('event-sink', server.url, SETTINGS, { connectionsMax: 1 });
  const cancellation = new Cancellation();
  const call = (cancelledBy?: Cancellation): Promise<unknown> => {
    const bounds = { bodyBytesMax: 10, timeoutMs: 5_000, cancellation: cancelledBy };
    return client.send(new OutgoingRequest('GET', '/', {}, bounds), RequestContext.background());
  };
  const left = expect(call(cancellation)).rejects.toMatchObject({ kind: 'aborted' });
  await until(() => server.received.length === 1);
  const steadyMs = performance.now();
  jest.spyOn(performance, 'now').mockReturnValue(steadyMs + 3_000);
  const closed = client.close();
  cancellation.cancel();
  jest.restoreAllMocks();
  await Promise.all([left, closed]);
  await expect(call()).rejects.toMatchObject({ kind: 'connection' });
});

test('an answer in many pieces costs no more than its bytes, in time and in memory', async () => {
  const pieces = 200_000;
  const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
  const server = await startJsonServer((_received, response) => {
    response.socket!.write(head + '1\r\nx\r\n'.repeat(pieces));
    sent = response.socket!;
  });
  let sent: Socket | undefined;
  const client = new HttpClient('event-sink', server.url, SETTINGS, { connectionsMax: 1 });
  const request = new OutgoingRequest('GET', '/', {}, { bodyBytesMax: pieces, timeoutMs: 5_000 });
  const before = usedHeapBytes();
  const answer = client.send(request, RequestContext.background());
  await until(() => sent?.writableLength === 0);
  await new Promise(setImmediate);
  expect(usedHeapBytes() - before).toBeLessThan(5_000_000);
  sent!.end('0\r\n\r\n');
  expect((await answer).body.equals(Buffer.alloc(pieces, 'x'))).toBe(true);
  await Promise.all([client.close(), server.close()]);
});
