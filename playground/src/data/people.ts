import type { Hirer } from './hirers.js';
import type { SeededRandom } from './random.js';

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

/** A made-up person. Addresses end in .example, which no mail can reach (RFC 2606). */
export interface Person {
  formattedName: string;
  given: string | null;
  family: string | null;
  emails: string[];
  phones: string[];
  countryCode: string;
}

/** Phone numbers come from ranges reserved for fiction where the country has one. */
export function makePerson(random: SeededRandom, market: Market): Person {
  const [given, family] = [random.pick(GIVEN[market]), random.pick(FAMILY[market])];
  const phone = { AU: '+61 491 57', ID: '+62 811 555', TH: '+66 8 0555' }[market];
  return {
    formattedName: `${given} ${family}`,
    given,
    family,
    emails: [`candidate.${random.suffix(8).toLowerCase()}@people.example`],
    phones: [`${phone} ${String(random.int(1000, 9999))}`],
    countryCode: market,
  };
}
