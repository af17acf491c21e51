import { everywhere, type Localised } from './localised.js';

/** A place in the location tree. */
export interface Location {
  readonly id: string;
  readonly name: Localised;
  readonly contextualName: Localised;
  readonly countryCode: string;
  readonly currencyCodes: readonly string[];
  readonly parentId: string | null;
  readonly latitude: number;
  readonly longitude: number;
}

type Row = readonly [suffix: string, parent: string | null, latitude: number, longitude: number, en: string, id?: string, th?: string];

const AUSTRALIA: readonly Row[] = [
  ['2aeax6diF', null, -25.3, 133.8, 'Australia', 'Australia', 'ออสเตรเลีย'],
  ['HxMS1gfR', '2aeax6diF', -37.0, 144.0, 'Victoria', 'Victoria', 'วิกตอเรีย'],
  ['31XoHiay5', 'HxMS1gfR', -37.8, 144.9, 'Melbourne', 'Melbourne', 'เมลเบิร์น'],
  ['2m81wybwV', '31XoHiay5', -37.81, 144.96, 'CBD & Inner Suburbs'],
  ['2FqwWaaMV', '2m81wybwV', -37.8136, 144.9631, 'Melbourne VIC 3000'],
  ['3RkWnYp8Q', '31XoHiay5', -37.86, 145.03, 'Eastern Suburbs'],
  ['FTwZdE2K', '2aeax6diF', -32.2, 147.0, 'New South Wales', 'New South Wales', 'นิวเซาท์เวลส์'],
  ['2zY2wZbuq', 'FTwZdE2K', -33.87, 151.1, 'Sydney', 'Sydney', 'ซิดนีย์'],
  ['2QCxeiwmR', '2zY2wZbuq', -33.87, 151.2, 'CBD, Inner West & Eastern Suburbs'],
  ['2vArzkyio', '2QCxeiwmR', -33.8688, 151.2093, 'Sydney NSW 2000'],
];
const INDONESIA: readonly Row[] = [
  ['4NvTq8LdZ', null, -2.5, 118.0, 'Indonesia', 'Indonesia', 'อินโดนีเซีย'],
  ['4PwJ5RmXc', '4NvTq8LdZ', -6.2, 106.8, 'Jakarta Special Capital Region', 'Daerah Khusus Ibukota Jakarta', 'จาการ์ตา'],
  ['4QsB7ZkTn', '4PwJ5RmXc', -6.26, 106.81, 'South Jakarta', 'Jakarta Selatan', 'จาการ์ตาใต้'],
  ['4RcH2YvWe', '4PwJ5RmXc', -6.18, 106.83, 'Central Jakarta', 'Jakarta Pusat', 'จาการ์ตากลาง'],
  ['4SgM9XfKp', '4NvTq8LdZ', -7.54, 112.24, 'East Java', 'Jawa Timur', 'ชวาตะวันออก'],
  ['4TzD3QbVy', '4SgM9XfKp', -7.2575, 112.7521, 'Surabaya', 'Surabaya', 'สุราบายา'],
];
const THAILAND: readonly Row[] = [
  ['6BnKx4WtR', null, 15.87, 100.99, 'Thailand', 'Thailand', 'ประเทศไทย'],
  ['6CpLz7VsM', '6BnKx4WtR', 13.7563, 100.5018, 'Bangkok', 'Bangkok', 'กรุงเทพมหานคร'],
  ['6DrNq2YhT', '6CpLz7VsM', 13.7248, 100.5283, 'Bang Rak', 'Bang Rak', 'บางรัก'],
  ['6FtQw8JcX', '6CpLz7VsM', 13.7384, 100.5609, 'Watthana', 'Watthana', 'วัฒนา'],
  ['6GvSy5KdZ', '6BnKx4WtR', 18.7883, 98.9853, 'Chiang Mai', 'Chiang Mai', 'เชียงใหม่'],
  ['6HwTb3LfB', '6BnKx4WtR', 7.8804, 98.3923, 'Phuket', 'Phuket', 'ภูเก็ต'],
];

/** Countries with a few places each; names are the same in every language. */
const FURTHER: Readonly<Record<string, { currency: string; rows: readonly Row[] }>> = {
  HK: {
    currency: 'HKD',
    rows: [
      ['7BkMx3TsQ', null, 22.32, 114.17, 'Hong Kong'],
      ['7CmNz6VtR', '7BkMx3TsQ', 22.28, 114.16, 'Central and Western District'],
      ['7DnPb9WvS', '7BkMx3TsQ', 22.32, 114.17, 'Yau Tsim Mong District'],
    ],
  },
  MY: {
    currency: 'MYR',
    rows: [
      ['7FpQd2XwT', null, 4.21, 101.98, 'Malaysia'],
      ['7GqRf5YxU', '7FpQd2XwT', 3.139, 101.6869, 'Kuala Lumpur'],
      ['7HrSh8ZyV', '7FpQd2XwT', 5.4141, 100.3288, 'Penang'],
    ],
  },
  NZ: {
    currency: 'NZD',
    rows: [
      ['8BsTj3AzW', null, -40.9, 174.89, 'New Zealand'],
      ['8CtUk6BbX', '8BsTj3AzW', -36.8485, 174.7633, 'Auckland'],
      ['8DuVm9CcY', '8BsTj3AzW', -43.5321, 172.6362, 'Christchurch'],
    ],
  },
  PH: {
    currency: 'PHP',
    rows: [
      ['8FvWn2DdZ', null, 12.88, 121.77, 'Philippines'],
      ['8GwXp5Eea', '8FvWn2DdZ', 14.5547, 121.0244, 'Makati'],
      ['8HxYq8Ffb', '8FvWn2DdZ', 10.3157, 123.8854, 'Cebu City'],
    ],
  },
  SG: {
    currency: 'SGD',
    rows: [
      ['9ByZr3Ggc', null, 1.3521, 103.8198, 'Singapore'],
      ['9CzAs6Hhd', '9ByZr3Ggc', 1.2789, 103.8536, 'Central Region'],
      ['9DaBt9Jje', '9ByZr3Ggc', 1.3521, 103.9447, 'East Region'],
    ],
  },
};

const ID_PREFIX = 'seekAnzPublicTest:location:seek:';

/** Every location by identifier, parents before their children. */
export function makeLocations(): Map<string, Location> {
  const locations = new Map<string, Location>();
  plant(locations, AUSTRALIA, 'AU', ['AUD']);
  plant(locations, INDONESIA, 'ID', ['IDR', 'USD']);
  plant(locations, THAILAND, 'TH', ['THB', 'USD']);
  for (const [countryCode, { currency, rows }] of Object.entries(FURTHER)) {
    plant(locations, rows, countryCode, [currency]);
  }
  return locations;
}

function plant(locations: Map<string, Location>, rows: readonly Row[], countryCode: string, currencyCodes: string[]): void {
  for (const [suffix, parent, latitude, longitude, en, id, th] of rows) {
    const parentId = parent === null ? null : ID_PREFIX + parent;
    const name = { ...everywhere(en), ...(id && { 'id-ID': id }), ...(th && { 'th-TH': th }) };
    const context = parentId === null ? undefined : locations.get(parentId)?.contextualName;
    const contextualName = context === undefined ? name : joined(name, context);
    const location = { id: ID_PREFIX + suffix, name, contextualName, countryCode, currencyCodes, parentId, latitude, longitude };
    locations.set(location.id, location);
  }
}

function joined(name: Localised, context: Localised): Localised {
  return {
    'en-AU': `${name['en-AU']}, ${context['en-AU']}`,
    'id-ID': `${name['id-ID']}, ${context['id-ID']}`,
    'th-TH': `${name['th-TH']} ${context['th-TH']}`,
  };
}
