import { json, startJsonServer, type Answerer } from '../../../test/support/json-server.js';
import { Metrics } from '../../telemetry/metrics.js';
import { RequestContext } from '../request-context.js';
import { DependencyClients } from './dependency-client.js';

const SETTINGS = { USER_AGENT: 'test', OUTBOUND_PROXY: undefined, OUTBOUND_PROXY_EXCEPT: [] };

/** The outcome under which a call to a server that answers so is measured. */
async function measured(
  how: 'send' | 'open',
  answer: Answerer,
  timeoutMs: number,
): Promise<string | undefined> {
  const server = await startJsonServer(answer);
  const metrics = new Metrics();
  const client = new DependencyClients(metrics, SETTINGS).open('event-sink', server.url, 1);
  const request = { method: 'GET', path: '/', headers: {}, bodyBytesMax: 10, timeoutMs } as const;
  const answered = await client[how]('event-sink', request, RequestContext.background()).catch(
    () => undefined,
  );
  if (answered && !Buffer.isBuffer(answered.body)) answered.body.resume();
  await Promise.all([client.close(), server.close()]);
  const { text } = await metrics.expose();
  return /^bff_dependency_request_duration_seconds_count\{.*outcome="(\w+)"\} 1$/m.exec(text)?.[1];
}

test.each<[string, Answerer, number]>([
  ['2xx', json({}), 5_000],
  ['5xx', json({}, 503), 5_000],
  ['too_large', json('x'.repeat(11)), 5_000],
  ['connection', (_received, response) => void response.destroy(), 5_000],
  ['timeout', () => undefined, 20],
])('a call that ends so is measured as %s', async (outcome, answer, timeoutMs) => {
  expect(await measured('send', answer, timeoutMs)).toBe(outcome);
  if (outcome !== 'too_large') expect(await measured('open', answer, timeoutMs)).toBe(outcome); // a stream has no bound
});
