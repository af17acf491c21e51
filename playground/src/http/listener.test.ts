import { networkInterfaces } from 'node:os';
import { Listener } from './listener.js';
import { OwnHosts } from './own-hosts.js';

const LOOPBACKS = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .filter(({ internal }) => internal)
  .map(({ address }) => address);

test.each(LOOPBACKS)('a listener on %s has an origin, which it keeps when it has closed', async (host) => {
  const background = { fail: () => undefined };
  const parts = { name: 'upstream', port: 0, host, hosts: new OwnHosts([]), background, tls: undefined };
  const listener = await Listener.open(parts as never);
  const { url } = listener;
  await listener.close();
  expect(listener.url).toBe(url);
  expect(new URL(url).hostname).toContain(host);
});
