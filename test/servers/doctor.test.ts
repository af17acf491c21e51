import { found, useDoctor } from '../command/doctor-setup.js';
import { BROKERS, type TestBroker } from '../support/test-brokers.js';

const { examine } = useDoctor();

describe.each(BROKERS)('a sink of $name', ({ name, open }) => {
  let broker: TestBroker;
  beforeAll(async () => (broker = await open()));

  test('is connected to, asked whether it takes events, and sent none', async () => {
    const { findings } = await examine({ EVENT_SINK_URL: broker.url.href });
    const own = broker.url.searchParams.get('exchange') ?? broker.url.pathname.slice(1);
    const there = name === 'NATS' ? `the stream ${own} takes ${own}.>` : `the exchange ${own} is there`;
    expect(found(findings, 'sink')).toEqual({
      name: 'sink',
      state: 'ok',
      seen: `accepts connections; ${there}; nothing was sent`,
    });
    expect(await broker.received()).toEqual([]);
  });

  test('that takes no events is a fail that says why', async () => {
    const EVENT_SINK_URL = new URL(
      name === 'NATS' ? '/nobody.made.it' : '?exchange=nobody-made-it',
      broker.url,
    );
    const { code, findings } = await examine({ EVENT_SINK_URL: EVENT_SINK_URL.href });
    const seen = name === 'NATS' ? 'no stream takes nobody.made.it.>' : 'there is no exchange nobody-made-it';
    expect(found(findings, 'sink')).toMatchObject({ state: 'fail', seen });
    expect(code).toBe(1);
  });
});
