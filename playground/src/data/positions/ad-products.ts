import type { Localised } from '../ontologies/localised.js';
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

const ID_PREFIX = 'globalPublicTest:adProduct:seekApi:';

const VISIBLE: Localised = { 'en-AU': 'Seen for 30 days', 'id-ID': 'Tampil selama 30 hari', 'th-TH': 'แสดง 30 วัน' };
const LOGO: Localised = { 'en-AU': 'Your logo on the ad', 'id-ID': 'Logo Anda pada iklan', 'th-TH': 'โลโก้ของคุณบนประกาศ' };
const FIRST: Localised = { 'en-AU': 'First in search results', 'id-ID': 'Teratas di hasil pencarian', 'th-TH': 'อันดับแรกในผลการค้นหา' };

/** Every advertisement product, cheapest first. */
export const AD_PRODUCTS: readonly AdProduct[] = [
  {
    id: `${ID_PREFIX}3ZxK8QvBn`,
    type: 'Classic',
    label: { 'en-AU': 'Classic', 'id-ID': 'Klasik', 'th-TH': 'คลาสสิก' },
    description: { 'en-AU': 'The plain advertisement.', 'id-ID': 'Iklan standar.', 'th-TH': 'ประกาศแบบมาตรฐาน' },
    sellingPoints: [VISIBLE],
    price: 275,
    hasBranding: false,
    bulletPoints: 0,
  },
  {
    id: `${ID_PREFIX}4BzM2SxDq`,
    type: 'StandOut',
    label: { 'en-AU': 'StandOut', 'id-ID': 'Menonjol', 'th-TH': 'โดดเด่น' },
    description: { 'en-AU': 'An advertisement that is noticed.', 'id-ID': 'Iklan yang lebih terlihat.', 'th-TH': 'ประกาศที่เห็นชัดขึ้น' },
    sellingPoints: [VISIBLE, LOGO],
    price: 340,
    hasBranding: true,
    bulletPoints: 3,
  },
  {
    id: `${ID_PREFIX}5DbP4UzFs`,
    type: 'Premium',
    label: { 'en-AU': 'Premium', 'id-ID': 'Premium', 'th-TH': 'พรีเมียม' },
    description: { 'en-AU': 'The advertisement that comes first.', 'id-ID': 'Iklan yang tampil pertama.', 'th-TH': 'ประกาศที่แสดงก่อนใคร' },
    sellingPoints: [VISIBLE, LOGO, FIRST],
    price: 620,
    hasBranding: true,
    bulletPoints: 3,
  },
];

/** The product of a type; every type has one. */
export function productOf(type: AdType): AdProduct {
  const product = AD_PRODUCTS.find((candidate) => candidate.type === type);
  if (product === undefined) throw new Error(`There is no product ${type}`);
  return product;
}

/** The factor from a price in Australian dollars to one in another currency; roughly an exchange rate. */
const PRICE_FACTORS: Readonly<Record<string, number>> = { IDR: 10_000, THB: 22, HKD: 5, MYR: 3, PHP: 37, USD: 0.65, SGD: 0.9, NZD: 1.1 };

/** The price of a product in a currency, in whole units. */
export function priceIn(currency: string, { price }: AdProduct): number {
  return Math.round(price * (PRICE_FACTORS[currency] ?? 1));
}
