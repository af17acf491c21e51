import type { Localised } from '../ontologies.js';
import { readTable } from '../tables.js';
import type { AdType } from './position-records.js';

/** A way to advertise a position. */
export interface AdProduct {
  readonly id: string;
  readonly type: AdType;
  readonly label: Localised;
  readonly description: Localised;
  readonly sellingPoints: readonly Localised[];
  /** Price in Australia, in whole units. */
  readonly price: number;
  readonly hasBranding: boolean;
  /** How many bullet points are shown in search results. */
  readonly bulletPoints: number;
}

/** Every advertisement product, cheapest first. */
export const AD_PRODUCTS = readTable<readonly AdProduct[]>('adProducts');
/** From a price in Australian dollars to one in another currency; roughly an exchange rate. */
const PRICE_FACTORS = readTable<Readonly<Record<string, number>>>('priceFactors');

/** The product of a type; every type has one. */
export function productOf(type: AdType): AdProduct {
  return AD_PRODUCTS.find((product) => product.type === type)!;
}

/** The price of a product in a currency, in whole units. */
export function priceIn(currency: string, { price }: AdProduct): number {
  return Math.round(price * (PRICE_FACTORS[currency] ?? 1));
}
