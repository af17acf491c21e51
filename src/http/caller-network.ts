import ipaddr from 'ipaddr.js';

const IPV6_PREFIX_BYTES = 8;

/**
 * The key under which unauthenticated callers are limited: an IPv4 address, or the /64 network of an IPv6 address,
 * since one subscriber usually has all addresses of a /64 (RFC 6177). A text that is not an address is its own key.
 */
export function callerNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address); // an IPv4-mapped address counts as IPv4
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${Buffer.from(parsed.toByteArray().slice(0, IPV6_PREFIX_BYTES)).toString('hex')}/64`;
}
