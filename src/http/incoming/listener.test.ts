import { createListener } from './listener.js';

const CONFIG = {
  BODY_LIMIT_BYTES: 1_024,
  CONNECTIONS_MAX: 10,
  KEEP_ALIVE_SECONDS: 95,
  TRUST_PROXY: [],
  TRUST_TRACE: false,
};

test('a route with a schema is refused at start, as there is no compiler for it', async () => {
  const listener = createListener(CONFIG, () => undefined);
  listener.get('/', { schema: { querystring: { type: 'object' } } }, () => ({}));
  await expect(listener.ready()).rejects.toThrow('Routes have no schema');
});

test('a request of this process, which has no connection to close, is refused without a fault later', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
  const listener = createListener(CONFIG, () => undefined);
  expect(await listener.inject({ method: 'POST', url: '/', payload: '{}' })).toMatchObject({
    statusCode: 404,
  });
  expect(jest.getTimerCount()).toBe(1);
  expect(() => jest.runAllTimers()).not.toThrow();
  jest.useRealTimers();
});
