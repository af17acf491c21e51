import { found, useDoctor } from '../command/doctor-setup.js';
import { BROKERS, type TestBroker } from '../support/test-brokers.js';

const { examine } = useDoctor();

describe.each(BROKERS)('a sink of $name', ({ open }) => {
  let broker: TestBroker;
  beforeAll(async () => (broker = await open()));

  test('is connected to, and sent none', async () => {
    const { findings } = await examine({ EVENT_SINK_URL: broker.url.href });
    expect(found(findings, 'sink')).toEqual({
      name: 'sink',
      state: 'ok',
      seen: 'accepts connections; nothing was sent',
    });
    expect(await broker.received()).toEqual([]);
  });
});

test('an exchange of RabbitMQ that is not there is a fail that says so', async () => {
  const broker = await BROKERS.find(({ name }) => name === 'RabbitMQ')!.open();
  const EVENT_SINK_URL = new URL('?exchange=nobody-made-it', broker.url).href;
  const { code, findings } = await examine({ EVENT_SINK_URL });
  expect(found(findings, 'sink')).toMatchObject({
    state: 'fail',
    seen: 'there is no exchange nobody-made-it',
  });
  expect(code).toBe(1);
});
