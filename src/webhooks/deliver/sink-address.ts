import { lookup as resolve, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Which addresses a sink may have: those of its own machine, those of the internet, or those of our network too. */
export type SinkReach = 'loopback' | 'public' | 'private';

type Range = ReturnType<ipaddr.IPv4['range']> | ReturnType<ipaddr.IPv6['range']>;

const OWN_NETWORK: readonly Range[] = ['unicast', 'private', 'uniqueLocal', 'carrierGradeNat', 'loopback'];
/** Special ranges (RFC 6890 and its registry) that the address library takes for ordinary ones. */
const SPECIAL = [
  '192.88.99.0/24',
  '::/96',
  '64:ff9b:1::/48',
  '2001::/23',
  '3fff::/20',
  '5f00::/16',
  'fec0::/10',
].map((range) => ipaddr.parseCIDR(range));

/** Refused since it lies where a sink may not be. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/**
 * Whether a sink of this reach may have the address. Link-local ones, where clouds keep their metadata service, are
 * never allowed, nor any that stand for another address (mapped, translated, tunnelled) unless that one is allowed.
 */
export function isAllowedAddress(address: string, reach: SinkReach): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.process(address);
  const isSpecial = SPECIAL.some((range) => parsed.kind() === range[0].kind() && parsed.match(range));
  const range = parsed.range() === 'unicast' && isSpecial ? 'reserved' : parsed.range();
  switch (reach) {
    case 'loopback':
      return range === 'loopback';
    case 'public':
      return range === 'unicast';
    case 'private':
      return OWN_NETWORK.includes(range);
    default:
      return reach satisfies never;
  }
}

/** Whether the host of a URL is an address that the sink may not have; a name is judged when it is resolved. */
export function isRefusedLiteral(hostname: string, reach: SinkReach): boolean {
  const literal = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(literal) !== 0 && !isAllowedAddress(literal, reach);
}

/**
 * Resolves a name to addresses that are allowed, and fails if any of them is not. The connection goes to the very
 * address that was judged: there is no second look-up for an attacker's name server to answer differently.
 */
export function guardedLookup(reach: SinkReach, resolver: typeof resolve = resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolver(hostname, { ...options, all: true }, (fault, addresses: LookupAddress[]) => {
      if (fault) return callback(fault, []);
      if (addresses.length === 0 || !addresses.every(({ address }) => isAllowedAddress(address, reach))) {
        return callback(new AddressRefused('the sink has an address that is not allowed'), []);
      }
      if (options.all) return callback(null, addresses);
      return callback(null, addresses[0]!.address, addresses[0]!.family);
    });
  };
}
