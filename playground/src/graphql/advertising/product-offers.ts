import { AD_PRODUCTS, priceIn, type AdProduct } from '../../data/positions/ad-products.js';
import type { Hirer } from '../../data/hirers/hirers.js';
import { isLive, isPosted, type AdType, type PostedProfile } from '../../data/positions/position-records.js';
import type { Context } from '../context.js';
import { invalid } from '../errors.js';
import { requireObject } from '../find-object.js';

/** A product as one hirer can have it for one ad. */
export interface Offer {
  readonly product: AdProduct;
  readonly currency: string;
  /** In whole units of the currency; for a live ad, what the change costs. */
  readonly price: number;
  /** False for a product that is less than the live ad already has. */
  readonly isEnabled: boolean;
}

/** Every product for a new ad, or for a live one that has a product already. */
export function offersFor(currency: string, current?: AdType): Offer[] {
  const paid = AD_PRODUCTS.find(({ type }) => type === current);
  const paidPrice = paid === undefined ? 0 : priceIn(currency, paid);
  return AD_PRODUCTS.map((product) => {
    const price = priceIn(currency, product) - paidPrice;
    return { product, currency, price: Math.max(0, price), isEnabled: price >= 0 };
  });
}

const CURRENCIES: Readonly<Record<Hirer['market'], string>> = { AU: 'AUD', ID: 'IDR', TH: 'THB' };

/** The currency that ads are paid in: the first of the location, or that of the hirer's market while no location is known. */
export function currencyFor(
  { hirerId, locationId }: { readonly hirerId: string; readonly locationId?: string | null | undefined },
  { world }: Context,
): string {
  const location = world.locations.get(locationId ?? '');
  const { market } = requireObject(world.hirers, hirerId, 'hirerId');
  return location?.currencyCodes[0] ?? CURRENCIES[market];
}

/** The live ad of a hirer; throws for an ad of another one, or one that is closed. */
export function requireLiveAd(
  id: string,
  hirerId: string,
  field: string,
  { world, now }: Context,
): PostedProfile {
  const profile = world.positionProfiles.get(id);
  if (!isPosted(profile) || profile.hirerId !== hirerId || !isLive(profile, now())) {
    throw invalid(field, 'must identify a live ad of the hirer');
  }
  return profile;
}
