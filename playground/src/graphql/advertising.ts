import type { Hirer } from '../data/hirers.js';
import { AD_PRODUCTS, priceIn, type AdProduct } from '../data/positions/ad-products.js';
import { isLive, isPosted, type PostedProfile } from '../data/positions/position-records.js';
import type { Branding } from '../data/records.js';
import type {
  Query_advertisementProducts,
  Query_seekAnzHirerAdvertisementCreationProducts as HirerProducts,
} from './arguments.js';
import type { Context, TypeFields } from './context.js';
import { invalid } from './errors.js';
import { objectById, requireObject } from './find-object.js';
import type { Resolvers } from './schema/build-schema.js';

/** A product as one hirer can have it for one ad. */
interface Offer extends AdProduct {
  readonly currency: string;
  /** In whole units of the currency; for a live ad, what the change costs. */
  readonly price: number;
  /** False for a product that is less than the live ad already has. */
  readonly isEnabled: boolean;
  readonly summary: string;
}

const CURRENCIES: Readonly<Record<Hirer['market'], string>> = { AU: 'AUD', ID: 'IDR', TH: 'THB' };

/**
 * Every product, in the first currency of the location, or that of the hirer's market while no location is known.
 * @param current the product that a live ad has already
 */
function offersFor(
  hirerId: string,
  locationId: string | null,
  { world }: Context,
  current: string | undefined,
): Offer[] {
  const location = world.locations.get(locationId ?? '');
  const { market } = requireObject(world.hirers, hirerId, 'hirerId');
  const currency = location?.currencyCodes[0] ?? CURRENCIES[market];
  const paid = AD_PRODUCTS.find(({ type }) => type === current);
  const paidPrice = paid === undefined ? 0 : priceIn(currency, paid);
  return AD_PRODUCTS.map((product) => {
    const rest = priceIn(currency, product) - paidPrice;
    const price = Math.max(0, rest);
    return { ...product, currency, price, isEnabled: rest >= 0, summary: `${currency} ${price.toFixed(2)}` };
  });
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

const UNAVAILABLE = {
  typeCode: 'ProductUnavailable',
  severityCode: 'Informational',
  visibilityCode: 'Always',
  content: 'A live ad cannot be changed to a product with less.',
};

const BRAND_MANAGEMENT = { url: 'https://assets.playground.example/brand-management' };

/** Offers are read by either of the types that the schema has for them. */
const TYPES: TypeFields = {
  AdvertisementBranding: {
    images: ({ id }: Branding, _args: unknown, { baseUrl }) => {
      const folder = `${baseUrl}/anzPublicTest/brandings/${id.slice(id.lastIndexOf(':') + 1)}`;
      return [
        { typeCode: 'OriginalLogo', url: `${folder}/logo.svg` },
        { typeCode: 'CoverImage', url: `${folder}/cover.svg` },
      ];
    },
  },
  AdvertisementBrandingsConnection: { brandManagementUrl: () => BRAND_MANAGEMENT },
  AdvertisementProduct: {
    sellingPoints: ({ sellingPoints }: Offer) => sellingPoints.map((text) => ({ text })),
    price: ({ summary }: Offer) => ({ summary }),
    payment: ({ summary }: Offer) => ({
      summary: `${summary} by invoice`,
      summaryHtml: `<strong>${summary}</strong> by invoice`,
    }),
    features: ({ hasBranding, bulletPoints }: Offer) => ({
      branding: hasBranding ? { logoIndicator: true, coverImageIndicator: true } : null,
      searchBulletPoints: bulletPoints === 0 ? null : { limit: bulletPoints },
    }),
  },
  SeekAnzAdProduct: {
    advertisementTypeCode: ({ type }: Offer) => type,
    name: ({ label }: Offer) => label,
    enabledIndicator: ({ isEnabled }: Offer) => isEnabled,
    features: ({ hasBranding, bulletPoints }: Offer) => ({
      brandingIndicator: hasBranding,
      searchBulletPointsIndicator: bulletPoints > 0,
    }),
    price: ({ summary, ...offer }: Offer) => ({
      amountExcludingTax: minorUnits(offer),
      summary,
      taxedIndicator: true,
      visibleForHirerIndicator: true,
    }),
    checkoutEstimate: ({ summary, ...offer }: Offer) => ({
      contractConsumption: null,
      paymentDueExcludingTax: minorUnits(offer),
      summary: `${summary} by invoice`,
    }),
    messages: ({ isEnabled }: Offer) => (isEnabled ? [] : [UNAVAILABLE]),
  },
};

function minorUnits({ currency, price }: Pick<Offer, 'currency' | 'price'>): object {
  return { currency, value: price * 100 };
}

function listProducts(args: Query_advertisementProducts, context: Context): object {
  const { positionProfile, selectedAdvertisementProductId: selectedId, limit } = args;
  const { positionLocation, positionOrganizations, profileId } = positionProfile;
  const [hirerId, locationId] = [positionOrganizations[0]!, positionLocation[0]!];
  const ad =
    profileId === null
      ? undefined
      : requireLiveAd(profileId, hirerId, 'positionProfile.profileId', context).ad;
  const products = offersFor(hirerId, locationId, context, ad?.seekAnzAdvertisementType)
    .filter(({ isEnabled }) => isEnabled)
    .slice(0, limit ?? undefined)
    .map((offer) => ({
      ...offer,
      selected: selectedId === null ? offer.type === ad?.seekAnzAdvertisementType : offer.id === selectedId,
    }));
  return { information: null, products };
}

/** A query for the products of a hirer's ad, by the type that a live one has already. */
function hirerProducts<T>(currentOf: (args: T & HirerProducts, context: Context) => string | undefined) {
  return (args: T & HirerProducts, context: Context): Offer[] =>
    offersFor(args.hirerId, args.draftAdvertisement.positionLocationId, context, currentOf(args, context));
}

/** Brandings, and what an ad can be posted with. */
export const advertising: Resolvers = {
  types: TYPES,
  Query: {
    advertisementBranding: objectById('brandings'),
    advertisementBrandings: ({ hirerId }, { world }) =>
      [...world.brandings.values()].filter((branding) => branding.hirerId === hirerId),
    advertisementProducts: listProducts,
    seekAnzHirerAdvertisementCreationProducts: hirerProducts(() => undefined),
    seekAnzHirerAdvertisementModificationProducts: hirerProducts<{ advertisementId: string }>(
      ({ advertisementId, hirerId }, context) =>
        requireLiveAd(advertisementId, hirerId, 'advertisementId', context).ad.seekAnzAdvertisementType,
    ),
    seekAnzHirerAdvertisementModificationProductsAlt: hirerProducts<{ advertisement: { typeCode: string } }>(
      ({ advertisement }) => advertisement.typeCode,
    ),
  },
};
