import type { Hirer } from '../hirers/hirers.js';
import type { SeededRandom } from '../random.js';

type Market = Hirer['market'];

const GIVEN: Record<Market, readonly string[]> = {
  AU: ['Olivia', 'Noah', 'Charlotte', 'Jack', 'Mia', 'William', 'Grace', 'Leo', 'Priya', 'Minh', 'Zoe', 'Hamish'],
  ID: ['Siti', 'Agus', 'Dewi', 'Budi', 'Putri', 'Rizky', 'Ayu', 'Eko', 'Fitri', 'Wahyu', 'Indah', 'Joko'],
  TH: ['สมชาย', 'สุดา', 'อนันต์', 'มาลี', 'ประเสริฐ', 'วันดี', 'กิตติ', 'นภา', 'ธนา', 'พิมพ์ใจ', 'ชัยวัฒน์', 'อรทัย'],
};
const FAMILY: Record<Market, readonly string[]> = {
  AU: ['Nguyen', 'Smith', 'Papadopoulos', 'Walker', 'Singh', "O'Connor", 'Chen', 'Taylor', 'Murray', 'Rossi', 'Abbott', 'Kaur'],
  ID: ['Wijaya', 'Santoso', 'Hidayat', 'Saputra', 'Lestari', 'Nugroho', 'Siregar', 'Pratama', 'Kusuma', 'Halim'],
  TH: ['ศรีสุข', 'วงศ์สวัสดิ์', 'แสงทอง', 'บุญมา', 'จันทร์เพ็ญ', 'รัตนกุล', 'ทองดี', 'พงษ์ไพร', 'สุวรรณ', 'ใจดี'],
};

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
  readonly name: { readonly formattedName: string; readonly given?: string | null; readonly family?: string | null };
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
  const [given, family] = [random.pick(GIVEN[market]), random.pick(FAMILY[market])];
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

const HOMES: Record<Market, { city: string; state: string; postalCode: string; country: string }> = {
  AU: { city: 'Melbourne', state: 'Victoria', postalCode: '3000', country: 'Australia' },
  ID: { city: 'Jakarta', state: 'DKI Jakarta', postalCode: '10110', country: 'Indonesia' },
  TH: { city: 'Bangkok', state: 'Bangkok', postalCode: '10500', country: 'Thailand' },
};

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
