import { createServer } from 'node:net';
import { portOf } from '../support/machine.js';
import { builtProgram, runProcess } from '../support/start-process.js';
import { serviceEnvironment } from '../support/start-stack.js';
import { usePlayground } from '../playground/client.js';

jest.setTimeout(120_000); // the service is built first

/** Makes a name of two addresses: the answer of the first is seen after 300 ms, nothing listens on the second. */
const SLOW_FIRST_ADDRESS = `
import dns from 'node:dns';
const lookup = dns.lookup;
dns.lookup = (name, options, done) => {
  if (name !== 'dual.partner.test') return lookup(name, options, done);
  setImmediate(() => {
    done(null, [{ address: '127.0.0.1', family: 4 }, { address: '127.0.0.2', family: 4 }]);
    const end = performance.now() + 300;
    while (performance.now() < end); // timers are looked at before the answer is
  });
};`;
const PRELOAD = `--import=data:text/javascript,${encodeURIComponent(SLOW_FIRST_ADDRESS)}`;

describe('a name whose first address is 300 ms away, and whose second is not there', () => {
  const playground = usePlayground({ size: 1 });

  test('is reached, as here by the issuer: the process sets the patience of all its connections', async () => {
    const received = Promise.withResolvers<void>();
    const server = createServer((socket) => {
      socket.on('error', () => undefined).once('data', () => received.resolve());
    });
    const ISSUER_TOKEN_URL = `https://dual.partner.test:${await portOf(server)}/`;
    const settings = serviceEnvironment(playground, { ISSUER_TOKEN_URL });
    const ended = runProcess(settings, builtProgram(PRELOAD), (_text, child) => {
      void received.promise.then(() => child.kill('SIGKILL'));
    });
    const first = await Promise.race([received.promise.then(() => 'received'), ended.then(() => 'ended')]);
    expect(first).toBe('received');
    await ended;
  });
});
