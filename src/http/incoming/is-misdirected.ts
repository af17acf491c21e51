import type { IncomingMessage } from 'node:http';

const NAME_AND_PORT = /^(\[[\da-f:.]+\]|[\da-z._-]+)(?::\d{1,5})?$/;
/** Names that browsers resolve to the machine they run on, and the addresses that they write for it. */
const LOOPBACK = /^(?:(?:[\da-z_-]+\.)*localhost|127(?:\.(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])){3}|\[::1\])$/;

/**
 * True if a request names another host than this machine, as those of a web page do that had its own name resolved to
 * this machine (DNS rebinding). Anything but one well-formed `Host` and a path counts as such.
 * @param listed names and addresses besides those of loopback, in lower case and without a port
 */
export function isMisdirected(
  { rawHeaders, url = '' }: Pick<IncomingMessage, 'rawHeaders' | 'url'>,
  listed: readonly string[],
): boolean {
  const hosts = rawHeaders.filter(
    (_, place) => place % 2 === 1 && rawHeaders[place - 1]!.toLowerCase() === 'host',
  );
  const [host] = hosts;
  if (host === undefined || hosts.length > 1 || !url.startsWith('/')) return true;
  const name = NAME_AND_PORT.exec(host.toLowerCase())?.[1];
  return name === undefined || !(LOOPBACK.test(name) || listed.includes(name));
}
