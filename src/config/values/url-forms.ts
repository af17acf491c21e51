import ipaddr from 'ipaddr.js';

/**
 * True if a text can be an issuer with a discovery document (OpenID Connect Discovery section 3).
 * @param httpHosts that may be called by plain http, besides loopback
 */
export function isDiscoverable(issuer: string, httpHosts: readonly string[] = []): boolean {
  if (!URL.canParse(issuer)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(issuer);
  const isHttpHost = isLoopbackHost(hostname) || httpHosts.includes(hostname);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isHttpHost);
  return isSafe && username + password + search + hash === '';
}

/**
 * True if a host name of a URL, or an address of a socket, is this machine: `localhost`, 127.0.0.0/8, `::1`, and the
 * IPv4-mapped form of either, with or without brackets.
 */
export function isLoopbackHost(host: string): boolean {
  const name = socketHost(host.toLowerCase());
  if (name === 'localhost') return true;
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(name) || ipaddr.IPv6.isValid(name);
  return isAddress && ipaddr.process(name).range() === 'loopback';
}

/** The host name of a URL as a socket takes it: an IPv6 address without its brackets. */
export function socketHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/** True if the percent-encoding of a part of a URL is whole. */
export function isDecodable(text: string): boolean {
  try {
    return typeof decodeURIComponent(text) === 'string';
  } catch {
    return false;
  }
}
