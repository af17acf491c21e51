import { lookup as resolve, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isLoopbackHost, socketHost } from '../../../config/values/url-forms.js';

/** Which addresses a sink may have: loopback only, public ones, or private networks too. */
export type SinkReach = 'loopback' | 'public' | 'private';

type Range = ReturnType<ipaddr.IPv4['range']> | ReturnType<ipaddr.IPv6['range']>;

const OWN_NETWORK: readonly Range[] = ['unicast', 'private', 'uniqueLocal', 'carrierGradeNat', 'loopback'];
/** Special ranges (RFC 6890 and its registry) that the address library classifies as unicast. */
const SPECIAL = [
  '192.88.99.0/24',
  '::/96',
  '64:ff9b:1::/48',
  '2001::/23',
  '3fff::/20',
  '5f00::/16',
  'fec0::/10',
].map((range) => ipaddr.parseCIDR(range));

/** Why nothing is sent to a sink. */
export const ADDRESS_REFUSED = 'the sink has an address that is not allowed';

/** The sink resolves to an address that it may not have. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/** The reach of a sink at this host: loopback alone for a name of this machine. */
export function reachOf(hostname: string, allowPrivate: boolean): SinkReach {
  if (isLoopbackHost(hostname)) return 'loopback';
  return allowPrivate ? 'private' : 'public';
}

/**
 * True if a sink of this reach may have the address. Link-local ones, where clouds keep their metadata service, are
 * never allowed; an IPv4-mapped address is judged as the IPv4 address, and translated or tunnelled ones are refused.
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

/** True if the host of a URL is an address that the sink may not have; names are checked when they are resolved. */
export function isRefusedLiteral(hostname: string, reach: SinkReach): boolean {
  const literal = socketHost(hostname);
  return isIP(literal) !== 0 && !isAllowedAddress(literal, reach);
}

/**
 * Resolves a name, and fails unless every address is allowed. The connection uses the addresses that were checked, so
 * that an attacker's name server cannot answer a second look-up differently.
 */
export function guardedLookup(reach: SinkReach, resolver: typeof resolve = resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolver(hostname, { ...options, all: true }, (fault, addresses: LookupAddress[]) => {
      if (fault) return callback(fault, []);
      if (addresses.length === 0 || !addresses.every(({ address }) => isAllowedAddress(address, reach))) {
        return callback(new AddressRefused(ADDRESS_REFUSED), []);
      }
      if (options.all) return callback(null, addresses);
      return callback(null, addresses[0]!.address, addresses[0]!.family);
    });
  };
}
