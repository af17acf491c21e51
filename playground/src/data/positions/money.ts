import type { Localised } from '../ontologies/localised.js';

/** Currencies of the markets. */
export const MARKET_CURRENCIES = ['AUD', 'HKD', 'IDR', 'MYR', 'NZD', 'PHP', 'SGD', 'THB', 'USD'] as const;
/** Every currency that pay can be stated in. */
export const ALL_CURRENCIES = [...MARKET_CURRENCIES, 'BDT', 'CNY', 'EUR', 'GBP', 'INR', 'JPY', 'VND'] as const;

/** One way to state pay. */
export interface PayType {
  readonly basisCode: string;
  readonly intervalCode: string;
  readonly label: Localised;
}

/** Every way to state pay that a position may use. */
export const PAY_TYPES: readonly PayType[] = [
  { basisCode: 'Hourly', intervalCode: 'Hour', label: { 'en-AU': 'Hourly rate', 'id-ID': 'Upah per jam', 'th-TH': 'ค่าจ้างรายชั่วโมง' } },
  { basisCode: 'Salaried', intervalCode: 'Month', label: { 'en-AU': 'Monthly salary', 'id-ID': 'Gaji bulanan', 'th-TH': 'เงินเดือน' } },
  { basisCode: 'Salaried', intervalCode: 'Year', label: { 'en-AU': 'Annual salary', 'id-ID': 'Gaji tahunan', 'th-TH': 'เงินเดือนต่อปี' } },
  {
    basisCode: 'SalariedPlusCommission',
    intervalCode: 'Year',
    label: { 'en-AU': 'Annual salary plus commission', 'id-ID': 'Gaji tahunan plus komisi', 'th-TH': 'เงินเดือนต่อปีบวกค่าคอมมิชชั่น' },
  },
];
