import type { Localised } from '../ontologies.js';
import { readTable } from '../tables.js';

/** One way to state pay. */
interface PayType {
  readonly basisCode: string;
  readonly intervalCode: string;
  readonly label: Localised;
}

/** Every way to state pay that a position may use. */
export const PAY_TYPES = readTable<readonly PayType[]>('payTypes');
/** Ordinary pay of a month in each currency of a market: the least, the most, and what amounts are rounded to. */
export const MONTHLY_PAY =
  readTable<Readonly<Record<string, readonly [from: number, to: number, step: number]>>>('monthlyPay');
