import { PAY_TYPES } from './money.js';
import type { Remuneration } from './position-records.js';
import type { SeededRandom } from '../random.js';

/** Ordinary pay of a month by currency: the least, the most, and what amounts are rounded to. */
const MONTHS: Readonly<Record<string, readonly [from: number, to: number, step: number]>> = {
  AUD: [5_000, 13_000, 100],
  HKD: [18_000, 80_000, 500],
  IDR: [6_000_000, 35_000_000, 500_000],
  MYR: [3_000, 15_000, 100],
  NZD: [4_500, 12_000, 100],
  PHP: [20_000, 120_000, 1_000],
  SGD: [3_500, 12_000, 100],
  THB: [18_000, 120_000, 1_000],
  USD: [2_000, 9_000, 100],
};
/** How many months an interval has. */
const INTERVALS: Readonly<Record<string, number>> = { Hour: 1 / 160, Month: 1, Year: 12 };

const NOTES = ['Medical insurance', 'Negotiable by experience', 'Yearly bonus', 'Paid training'];

/** Pay in a currency, in any of the forms that an ad may state. */
export function makePay(currency: string, random: SeededRandom): Remuneration {
  const { basisCode, intervalCode } = random.pick(PAY_TYPES);
  const [from, to, step] = MONTHS[currency] ?? [2_000, 9_000, 100];
  const least = from + step * random.int(0, Math.floor((to - from) / step));
  const most = least + step * random.int(5, 20);
  const amount = (month: number): { currency: string; value: number } => ({
    currency,
    value: Math.round(month * (INTERVALS[intervalCode] ?? 1)),
  });
  return {
    basisCode,
    descriptions: random.chance(0.6) ? [] : [random.pick(NOTES)],
    ranges: [{ intervalCode, minimumAmount: amount(least), maximumAmount: amount(most) }],
  };
}
