import { lookup as resolve, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { socketHost } from '../../../config/values/url-forms.js';

/** Which addresses a sink may have: loopback only, public ones, or private ones too. */
export type Reach = 'loopback' | 'public' | 'private';

type Range = ReturnType<ipaddr.IPv4['range']> | ReturnType<ipaddr.IPv6['range']>;

const PRIVATE: readonly Range[] = ['unicast', 'loopback', 'private', 'uniqueLocal', 'carrierGradeNat'];

export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';

  constructor() {
    super('the server has an address that is not allowed');
  }
}

export type AddressRule = (address: string) => boolean;

/**
 * True if a server of this reach may have the address. Link-local ones, where clouds keep their metadata service, are
 * never allowed. An IPv4 address that is mapped, or translated by NAT64 under its well-known prefix, is judged itself, the
 * latter as a public one (RFC 6052 section 3.1); tunnelled ones are refused.
 */
export function isAllowedAddress(address: string, reach: Reach): boolean {
  const range = isIP(address) === 0 ? 'reserved' : rangeOf(ipaddr.process(address));
  if (reach === 'private') return PRIVATE.includes(range);
  return range === (reach === 'loopback' ? 'loopback' : 'unicast');
}

function rangeOf(address: ipaddr.IPv4 | ipaddr.IPv6): Range {
  const range = address.range();
  if (range !== 'rfc6052') return range;
  const translated = rangeOf(new ipaddr.IPv4(address.toByteArray().slice(-4)));
  return translated === 'unicast' ? translated : 'reserved';
}

/** True if the host of a URL is an address that the server may not have; names are checked when they are resolved. */
export function isRefusedLiteral(hostname: string, isAllowed: AddressRule): boolean {
  const literal = socketHost(hostname);
  return isIP(literal) !== 0 && !isAllowed(literal);
}

/** Fails unless every address of a name is allowed. Those checked are used: a second look-up could differ. */
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
