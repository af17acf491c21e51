import { randomBytes } from 'node:crypto';
import { EVENT_TYPES } from '../../playground/src/data/records.js';
import type { Json } from '../support/ask-token.js';
import { faultOfShippedDelivery, json, startJsonServer, type JsonServer } from '../support/json-server.js';
import { startStack, type Stack } from '../support/start-stack.js';
import { until } from '../support/until.js';

const OF_EACH = 4;

let sink: JsonServer;
let stack: Stack;
beforeAll(async () => {
  sink = await startJsonServer(json({}));
  stack = await startStack({
    EVENT_SINK_URL: sink.url.href,
    EVENT_SINK_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
  });
  stack.playground.subscribe({ url: `${stack.url}/webhooks` });
});
afterAll(async () => {
  await stack.close();
  await sink.close();
});

test('every type of event is delivered in the form of the schema that is shipped, its object included', async () => {
  const events = EVENT_TYPES.flatMap((type) =>
    Array.from({ length: OF_EACH }, () => stack.playground.events.emit(type)),
  );
  await until(() => sink.received.length >= events.length);
  for (const { body } of sink.received) expect(faultOfShippedDelivery(body)).toBeUndefined();
  const bodies = sink.received.map(({ body }): Json => JSON.parse(body));
  const withObject = new Set(bodies.filter(({ data }) => data.object).map(({ type }) => type as string));
  expect([...withObject].sort()).toEqual([...EVENT_TYPES].sort());
});
