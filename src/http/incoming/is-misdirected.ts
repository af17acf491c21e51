import type { IncomingMessage } from 'node:http';
import { isLoopbackHost } from '../../config/values/url-forms.js';

const NAME_AND_PORT = /^(\[[\da-f:.]+\]|[\da-z._-]+)(?::\d{1,5})?$/;

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
  const name = nameIn(host);
  return !namesLoopback(host) && (name === undefined || !listed.includes(name));
}

/**
 * True if a `Host` is this machine, as browsers write it: a loopback address, or a name that they resolve to one (RFC 6761
 * section 6.3).
 */
export function namesLoopback(host: string): boolean {
  const name = nameIn(host);
  if (name === undefined || URL.parse(`http://${name}`)?.hostname !== name) return false;
  return isLoopbackHost(name) || name.endsWith('.localhost');
}

function nameIn(host: string): string | undefined {
  return NAME_AND_PORT.exec(host.toLowerCase())?.[1];
}
