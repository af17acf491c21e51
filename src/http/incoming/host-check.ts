import type { IncomingMessage } from 'node:http';
import { isLoopbackHost } from '../../config/values/url-forms.js';
import { BffError } from '../../errors/bff-error.js';
import { isRepeated } from '../header-values.js';

const NAME_AND_PORT = /^(\[[\da-f:.]+\]|[\da-z._-]+)(?::\d{1,5})?$/;

/** Refuses what does not name one host (RFC 9112 section 3.2), which HTTP/1.0 need not. */
export function refuseHost({ headers, httpVersion, rawHeaders }: IncomingMessage): BffError | undefined {
  const isMissing = headers.host === undefined && httpVersion !== '1.0';
  if (!isMissing && !isRepeated('host', rawHeaders)) return undefined;
  return new BffError('invalid_request', { errors: [{ field: 'Host', message: 'must be given once' }] });
}

/**
 * Refuses requests for another host than this machine, as those of a web page are that had its own name resolved to it
 * (DNS rebinding): in playground mode nothing else keeps it out. `listed` are further names and addresses, without a
 * port.
 */
export function refuseForeignHost(listed: readonly string[]): typeof refuseHost {
  const names = new Set(listed.map((name) => name.toLowerCase()));
  return ({ headers: { host = '' }, rawHeaders, url = '' }) => {
    const isOurs = namesLoopback(host) || names.has(nameIn(host) ?? '');
    const isPlain = !isRepeated('host', rawHeaders) && url.startsWith('/');
    return isOurs && isPlain ? undefined : new BffError('misdirected_request');
  };
}

/** True if a `Host` is a loopback address, or a name that browsers resolve to one (RFC 6761 section 6.3). */
export function namesLoopback(host: string): boolean {
  const name = nameIn(host);
  if (name === undefined || URL.parse(`http://${name}`)?.hostname !== name) return false;
  return isLoopbackHost(name) || name.endsWith('.localhost');
}

function nameIn(host: string): string | undefined {
  return NAME_AND_PORT.exec(host.toLowerCase())?.[1];
}
