import type { Market } from '../hirers.js';
import type { SeededRandom } from '../random.js';
import { readTable } from '../tables.js';

type ByMarket<T> = Readonly<Record<Market, T>>;
const NAMES = readTable<Record<'given' | 'family', ByMarket<readonly string[]>>>('people');
const { homes: HOMES } = readTable<{
  readonly homes: ByMarket<Record<'city' | 'state' | 'postalCode' | 'country', string>>;
}>('people');

/** A postal address, as the schema has it. */
export interface Address {
  readonly line?: string | null;
  readonly extendedLines: readonly AddressPart[];
  readonly city: string;
  readonly countrySubDivisions: readonly AddressPart[];
  readonly postalCode: string;
  readonly countryCode: string;
  readonly formattedAddress?: string | null;
  readonly geoLocation?: { readonly latitude: number; readonly longitude: number } | null;
}

/** A part of an address that has a type, such as a state. */
export interface AddressPart {
  readonly type: string;
  readonly value: string;
}

/** A made-up person, as the schema has it. Addresses end in .example, which no mail can reach (RFC 2606). */
export interface Person {
  readonly name: {
    readonly formattedName: string;
    readonly given?: string | null;
    readonly family?: string | null;
  };
  readonly communication: {
    readonly email: readonly { readonly address: string }[];
    readonly phone: readonly { readonly formattedNumber: string }[];
    readonly address?: readonly Address[] | null;
    readonly seekDoNotContactIndicator?: boolean | null;
  };
}

/** The remains of a person who was deleted. */
export const REDACTED: Person = {
  name: { formattedName: 'redacted', given: 'redacted' },
  communication: { email: [], phone: [], address: [] },
};

/** Phone numbers come from ranges reserved for fiction where the country has one. */
export function makePerson(random: SeededRandom, market: Market): Person {
  const [given, family] = [random.pick(NAMES.given[market]), random.pick(NAMES.family[market])];
  const phone = { AU: '+61 491 57', ID: '+62 811 555', TH: '+66 8 0555' }[market];
  const email = [{ address: `candidate.${random.suffix(8).toLowerCase()}@people.example` }];
  return {
    name: { formattedName: `${given} ${family}`, given, family },
    communication: {
      email,
      phone: [{ formattedNumber: `${phone} ${String(random.int(1000, 9999))}` }],
      address: [makeAddress(market)],
    },
  };
}

function makeAddress(market: Market): Address {
  const { city, state, postalCode, country } = HOMES[market];
  return {
    extendedLines: [],
    city,
    countrySubDivisions: [{ type: 'State', value: state }],
    postalCode,
    countryCode: market,
    formattedAddress: `${city} ${postalCode}, ${country}`,
  };
}
