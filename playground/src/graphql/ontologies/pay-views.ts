import { ALL_CURRENCIES, MARKET_CURRENCIES, PAY_TYPES } from '../../data/positions/money.js';
import { type RootFields, textOf } from '../context.js';
import { assertOneOf } from '../input-checks.js';
import { assertScheme } from '../scheme.js';

/** Queries for currencies and pay types. */
export const payQueries: RootFields = {
  currencies: ({ usageTypeCode }: { usageTypeCode: string }) => {
    assertOneOf(usageTypeCode, ['All', 'SEEKMarket'], 'usageTypeCode');
    const codes = usageTypeCode === 'All' ? ALL_CURRENCIES : MARKET_CURRENCIES;
    return codes.map((code) => ({ code }));
  },
  payTypes: ({ schemeId }: { schemeId: string }, context) => {
    assertScheme(schemeId);
    return PAY_TYPES.map((type) => ({ ...type, label: textOf(type.label, context) }));
  },
};
