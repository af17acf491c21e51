import type { Localised } from './localised.js';

/** A way to advertise a position. */
export interface AdProduct {
  readonly id: string;
  readonly label: Localised;
  readonly description: Localised;
  readonly sellingPoints: readonly Localised[];
  /** Price in the currency of the location, before its exchange factor. */
  readonly price: number;
  readonly features: readonly string[];
}

const ID_PREFIX = 'globalPublicTest:adProduct:seekApi:';

const VISIBLE: Localised = { 'en-AU': 'Seen for 30 days', 'id-ID': 'Tampil selama 30 hari', 'th-TH': 'แสดง 30 วัน' };
const LOGO: Localised = { 'en-AU': 'Your logo on the ad', 'id-ID': 'Logo Anda pada iklan', 'th-TH': 'โลโก้ของคุณบนประกาศ' };
const FIRST: Localised = { 'en-AU': 'First in search results', 'id-ID': 'Teratas di hasil pencarian', 'th-TH': 'อันดับแรกในผลการค้นหา' };

/** Every advertisement product, cheapest first. */
export const AD_PRODUCTS: readonly AdProduct[] = [
  {
    id: `${ID_PREFIX}3ZxK8QvBn`,
    label: { 'en-AU': 'Classic', 'id-ID': 'Klasik', 'th-TH': 'คลาสสิก' },
    description: { 'en-AU': 'The plain advertisement.', 'id-ID': 'Iklan standar.', 'th-TH': 'ประกาศแบบมาตรฐาน' },
    sellingPoints: [VISIBLE],
    price: 275,
    features: ['SearchBulletPoints'],
  },
  {
    id: `${ID_PREFIX}4BzM2SxDq`,
    label: { 'en-AU': 'StandOut', 'id-ID': 'Menonjol', 'th-TH': 'โดดเด่น' },
    description: { 'en-AU': 'An advertisement that is noticed.', 'id-ID': 'Iklan yang lebih terlihat.', 'th-TH': 'ประกาศที่เห็นชัดขึ้น' },
    sellingPoints: [VISIBLE, LOGO],
    price: 340,
    features: ['SearchBulletPoints', 'Branding'],
  },
  {
    id: `${ID_PREFIX}5DbP4UzFs`,
    label: { 'en-AU': 'Premium', 'id-ID': 'Premium', 'th-TH': 'พรีเมียม' },
    description: { 'en-AU': 'The advertisement that comes first.', 'id-ID': 'Iklan yang tampil pertama.', 'th-TH': 'ประกาศที่แสดงก่อนใคร' },
    sellingPoints: [VISIBLE, LOGO, FIRST],
    price: 620,
    features: ['SearchBulletPoints', 'Branding', 'PriorityListing'],
  },
];
