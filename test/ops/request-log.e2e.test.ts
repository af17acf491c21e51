import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import supertest from 'supertest';
import { VERSION } from '../../src/config/version.js';
import { linesWith } from '../support/start-stack.js';
import { BANKSIA, useProxyStack } from '../proxy/proxy-stack.js';

const CALLER_TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${CALLER_TRACE}-00f067aa0ba902b7-01`;
const SELF = { query: 'query Self { self { name } }' };

const stack = useProxyStack();

type Line = Readonly<Record<string, unknown>>;

/** The lines that name a request, once they are all written. */
async function linesOf(requestId: string): Promise<Line[]> {
  return (await linesWith(stack, requestId))
    .map((line) => JSON.parse(line) as Line)
    .filter(({ level }) => level !== 'debug');
}

test('the line of a request names user, hirer, trace and upstream calls as the upstream and the audit trail know them', async () => {
  const [requestId, sessionId] = [randomUUID(), randomUUID()];
  const { status } = await stack.ask(SELF, {
    'x-request-id': requestId,
    'x-session-id': sessionId,
    traceparent: TRACEPARENT,
  });
  expect(status).toBe(200);
  const calls = stack.playground.calls.list({ sessionId });
  const ids = calls.map((call) => call.requestId);
  const [line, ...others] = await linesOf(requestId);
  const { body } = await supertest(stack.opsUrl).get(`/audit?request=${requestId}`);
  expect(others).toEqual([]);
  expect(line).toMatchObject({
    ...{ level: 'info', service: 'partner-bff', version: VERSION, replica: hostname() },
    ...{ requestId, route: '/graphql', method: 'POST', status: 200 },
    user: body.items[0].user,
    hirerId: BANKSIA,
    upstreamRequestIds: ids,
  });
  expect(ids[0]).toBe(requestId);
  expect(body.items[0].upstreamRequestId).toBe(ids.at(-1));
  const traces = calls.map(({ traceparent }) => traceparent!.split('-')[1]);
  expect(new Set(traces)).toEqual(new Set([line!['traceId']]));
  expect(line!['traceId']).not.toBe(CALLER_TRACE);
  expect(JSON.stringify(line)).not.toMatch(/amelia|127\.0\.0\.1/);
});

test('a request that fails through a fault of ours or of the upstream has a further line with the same names', async () => {
  stack.playground.faults.add({ route: 'graphql', status: 500, body: 'oops' });
  const { headers } = await stack.ask(SELF);
  const lines = await linesOf(headers['x-request-id']!);
  const [failure, line] = ['error', 'info'].map((level) => lines.find((one) => one['level'] === level));
  expect(failure).toMatchObject({
    level: 'error',
    code: 'upstream_error',
    hirerId: BANKSIA,
    user: line!['user'],
  });
  expect(failure!['upstreamRequestIds']).toEqual(line!['upstreamRequestIds']);
  expect(failure!['traceId']).toBe(line!['traceId']);
});

test('the first line says what starts, and in which mode', async () => {
  const [first] = stack.logText().split('\n');
  expect(JSON.parse(first!)).toMatchObject({
    ...{ service: 'partner-bff', version: VERSION, mode: 'deployment', node: process.version },
    msg: `partner-bff ${VERSION} is starting`,
  });
  const { text } = await supertest(stack.opsUrl).get('/metrics');
  expect(text).toContain(`bff_build_info{version="${VERSION}",node="${process.version}"} 1\n`);
});

test('the log level changes at run time, and leaves a record', async () => {
  const set = async (level: string) => (await supertest(stack.opsUrl).put('/log-level').send({ level })).body;
  expect(await set('silent')).toEqual({ level: 'silent' });
  const before = stack.logText();
  await supertest(stack.opsUrl).get('/livez');
  expect(stack.logText()).toBe(before);
  expect(await set('debug')).toEqual({ level: 'debug' });
  const records = await stack.audit('action=log.level');
  expect(records.map(({ subject }) => subject)).toEqual(['debug', 'silent']);
});
