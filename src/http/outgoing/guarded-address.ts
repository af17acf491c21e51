import { lookup as resolve, type LookupAddress } from 'node:dns';
import { networkInterfaces } from 'node:os';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { socketHost } from '../../config/values/url-forms.js';

/** Which addresses a server may have: loopback only, public ones, private networks too, or all of these. */
export type Reach = 'loopback' | 'public' | 'network' | 'private';

type Range = ReturnType<ipaddr.IPv4['range']> | ReturnType<ipaddr.IPv6['range']>;

const NETWORK: readonly Range[] = ['unicast', 'private', 'uniqueLocal', 'carrierGradeNat'];
/** Special ranges (RFC 6890 and its registry) that the address library classifies as unicast. */
const SPECIAL = ['192.88.99.0/24', '::/96', '2001::/23', '3fff::/20', '5f00::/16', 'fec0::/10'].map((range) =>
  ipaddr.parseCIDR(range),
);

/** Of NAT64 in a network's own prefixes (RFC 8215), whose length only the network knows. */
const LOCAL_NAT64 = ipaddr.parseCIDR('64:ff9b:1::/48') as [ipaddr.IPv6, number];
/** Where the bytes of the IPv4 address stand after a prefix of 48, 56, 64 or 96 bits (RFC 6052 section 2.2). */
const TRANSLATED_BYTES = [
  [6, 7, 9, 10],
  [7, 9, 10, 11],
  [9, 10, 11, 12],
  [12, 13, 14, 15],
];

/** A server has, or its name resolves to, an address that it may not have. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';

  constructor() {
    super('the server has an address that is not allowed');
  }
}

/** Judges one address. */
export type AddressRule = (address: string) => boolean;

/**
 * True if a server of this reach may have the address. Link-local ones, where clouds keep their metadata service, are
 * never allowed. An IPv4 address that is mapped, or translated by NAT64, is judged itself, the latter as a public one
 * (RFC 6052 section 3.1); tunnelled ones are refused.
 */
export function isAllowedAddress(address: string, reach: Reach): boolean {
  const range = isIP(address) === 0 ? 'reserved' : rangeOf(ipaddr.process(address));
  switch (reach) {
    case 'loopback':
      return range === 'loopback';
    case 'public':
      return range === 'unicast';
    case 'network':
      return NETWORK.includes(range);
    case 'private':
      return range === 'loopback' || NETWORK.includes(range);
    default:
      return reach satisfies never;
  }
}

function rangeOf(address: ipaddr.IPv4 | ipaddr.IPv6): Range {
  const range = address.range();
  if (address.kind() === 'ipv6' && address.match(LOCAL_NAT64)) {
    return rangeOfTranslated(address.toByteArray());
  }
  const isSpecial = SPECIAL.some((special) => address.kind() === special[0].kind() && address.match(special));
  if (range === 'unicast') return isSpecial ? 'reserved' : range;
  if (range !== 'rfc6052') return range;
  const translated = rangeOf(new ipaddr.IPv4(address.toByteArray().slice(-4)));
  return translated === 'unicast' ? translated : 'reserved';
}

/** Public if whatever the address may stand for is; nothing is at 0.0.0.0/8. */
function rangeOfTranslated(bytes: readonly number[]): Range {
  const readings = TRANSLATED_BYTES.map((places) => places.map((place) => bytes[place]!));
  const ranges = readings
    .filter(([first]) => first !== 0)
    .map((reading) => rangeOf(new ipaddr.IPv4(reading)));
  return ranges.length > 0 && ranges.every((range) => range === 'unicast') ? 'unicast' : 'reserved';
}

/** True for an address of this machine: loopback, or one of its network interfaces. */
export function isOwnAddress(address: string): boolean {
  if (isAllowedAddress(address, 'loopback')) return true;
  const own = Object.values(networkInterfaces()).flatMap((interfaces) => interfaces ?? []);
  const judged = ipaddr.process(address).toString();
  return own.some((one) => ipaddr.process(one.address).toString() === judged);
}

/** True if the host of a URL is an address that the server may not have; names are checked when they are resolved. */
export function isRefusedLiteral(hostname: string, isAllowed: AddressRule): boolean {
  const literal = socketHost(hostname);
  return isIP(literal) !== 0 && !isAllowed(literal);
}

/**
 * Resolves a name, and fails unless every address is allowed. The connection uses the addresses that were checked, so
 * that an attacker's name server cannot answer a second look-up differently.
 */
export function guardedLookup(isAllowed: AddressRule, resolver: typeof resolve = resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolver(hostname, { ...options, all: true }, (fault, addresses: LookupAddress[]) => {
      if (fault) return callback(fault, []);
      if (addresses.length === 0 || !addresses.every(({ address }) => isAllowed(address))) {
        return callback(new AddressRefused(), []);
      }
      if (options.all) return callback(null, addresses);
      return callback(null, addresses[0]!.address, addresses[0]!.family);
    });
  };
}
