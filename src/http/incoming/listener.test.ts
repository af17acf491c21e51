import { aListener } from '../../../test/support/raw-connection.js';

test('a route with a schema is refused at start, as there is no compiler for it', async () => {
  const listener = aListener();
  listener.get('/', { schema: { querystring: { type: 'object' } } }, () => ({}));
  await expect(listener.ready()).rejects.toThrow('Routes have no schema');
});

test('a request of this process, which has no connection to close, is refused without a fault later', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
  const listener = aListener();
  expect(await listener.inject({ method: 'POST', url: '/', payload: '{}' })).toMatchObject({
    statusCode: 404,
  });
  expect(jest.getTimerCount()).toBe(1);
  expect(() => jest.runAllTimers()).not.toThrow();
  jest.useRealTimers();
});
