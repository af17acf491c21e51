import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../../test/support/until.js';
import { cutIfSlow } from './slow-readers.js';

const WINDOW_MS = 20;

test('an answer whose next part the upstream keeps back is not cut; one that its caller does not take is', async () => {
  let response!: ServerResponse;
  const server = createServer((_request, one) => (response = one));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  let answer!: IncomingMessage;
  get({ port, host: '127.0.0.1' }, (one) => (answer = one)).on('error', () => undefined);
  await until(() => response !== undefined);
  let ends = 0;
  cutIfSlow(response, WINDOW_MS, () => (ends += 1));
  response.write('a part');
  await until(() => answer !== undefined);
  let windows = 0;
  const timer = setInterval(() => (windows += 1), WINDOW_MS);
  await until(() => windows > 5);
  expect([ends, response.destroyed]).toEqual([0, false]);
  response.write(Buffer.alloc(32 * 1_048_576)); // more than the kernel's buffers hold
  await until(() => ends === 1);
  expect(response.destroyed).toBe(true);
  clearInterval(timer);
  answer.destroy();
  await new Promise((resolve) => server.close(resolve));
});
