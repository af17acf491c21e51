import { SINKS } from './sinks.js';

test.each([
  ['of too few bytes', Buffer.alloc(23, 1).toString('base64')],
  ['of too many bytes', Buffer.alloc(65, 1).toString('base64')],
  ['that is not base64', `whsec_${'v4lue!'.repeat(6)}`],
])('a key of deliveries %s is refused', (_why, secret) => {
  expect(SINKS.EVENT_SINK_SECRET.parse(secret)).toEqual({
    fault: 'item 1 must be whsec_ and base64 of 24 to 64 bytes',
  });
});

test.each([
  ['nats://v4lue.test', 'must be tls: plain nats is accepted for a loopback host only'],
  ['amqp://u:v4lue@rabbit.test', 'must be amqps: plain amqp is accepted for a loopback host only'],
  ['tls://', 'must name a host, and have no fragment'],
  ['tls://nats.test/a#v4lue', 'must name a host, and have no fragment'],
  ['tls://v4lue%@nats.test', 'holds malformed percent-encoding'],
  ['tls://nats.test?v4lue', 'must not hold a query'],
  ['tls://nats.test/v4lue.>', 'must have a path of words separated by dots'],
  ['tls://nats.test/$JS.v4lue', 'must have a path of words separated by dots'],
  ['tls://nats.test/a//v4lue', 'must have a path of words separated by dots'],
  ['amqps://rabbit.test?heartbeat=0', 'must hold no query but exchange='],
  ['amqps://rabbit.test?exchange=a&exchange=b', 'must hold no query but exchange='],
  ['amqps://rabbit.test?exchange=', 'must hold no query but exchange='],
  ['amqps://rabbit.test?exchange=amq.topic', 'must hold no query but exchange='],
  ['ws://nats.test', 'must be an absolute URL with scheme'],
])('a broker that cannot be reached safely is a fault without its value: %s', (url, fault) => {
  const reading = SINKS.EVENT_SINK_URL.parse(url);
  expect(reading).toEqual({ fault: expect.stringContaining(fault) });
  expect(JSON.stringify(reading)).not.toContain('v4lue');
});
