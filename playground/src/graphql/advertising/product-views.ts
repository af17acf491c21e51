import { type Context, type RootFields, textOf } from '../context.js';
import { invalid } from '../errors.js';
import { assertText, onlyMember } from '../input-checks.js';
import { requireCategory, requireLocation, TITLE_CHARACTERS_MAX } from '../positions/profile-checks.js';
import { currencyFor, offersFor, requireLiveAd, type Offer } from './product-offers.js';

interface ProductsArgs {
  readonly positionProfile: {
    readonly positionTitle: string;
    readonly positionLocation: readonly string[];
    readonly positionOrganizations: readonly string[];
    readonly jobCategories: readonly string[];
    readonly profileId?: string | null;
  };
  readonly selectedAdvertisementProductId?: string | null;
  readonly limit?: number | null;
}

const LIMIT_MIN = 3;

function listProducts(
  { positionProfile, selectedAdvertisementProductId, limit }: ProductsArgs,
  context: Context,
): object {
  if (limit != null && limit < LIMIT_MIN) throw invalid('limit', `must be at least ${String(LIMIT_MIN)}`);
  const { positionLocation, positionOrganizations, jobCategories, positionTitle, profileId } =
    positionProfile;
  const field = 'positionProfile';
  assertText(positionTitle, TITLE_CHARACTERS_MAX, `${field}.positionTitle`);
  requireCategory(onlyMember(jobCategories, `${field}.jobCategories`), `${field}.jobCategories[0]`, context);
  const locationId = onlyMember(positionLocation, `${field}.positionLocation`);
  requireLocation(locationId, `${field}.positionLocation[0]`, context);
  const hirerId = onlyMember(positionOrganizations, `${field}.positionOrganizations`);
  const ad =
    profileId == null ? undefined : requireLiveAd(profileId, hirerId, `${field}.profileId`, context).ad;
  const offers = offersFor(currencyFor({ hirerId, locationId }, context), ad?.adType)
    .filter(({ isEnabled }) => isEnabled)
    .slice(0, limit ?? undefined);
  const isSelected = ({ product }: Offer): boolean =>
    selectedAdvertisementProductId == null
      ? product.type === ad?.adType
      : product.id === selectedAdvertisementProductId;
  return { information: null, products: offers.map((offer) => productView(offer, isSelected(offer))) };
}

/** AdvertisementProduct of the schema. */
function productView({ product, currency, price }: Offer, selected: boolean): object {
  const summary = `${currency} ${price.toFixed(2)}`;
  const { id, label, description, sellingPoints, hasBranding, bulletPoints } = product;
  return {
    id: { value: id },
    label: (_args: unknown, context: Context) => textOf(label, context),
    description: (_args: unknown, context: Context) => textOf(description, context),
    selected,
    sellingPoints: sellingPoints.map((point) => ({
      text: (_args: unknown, context: Context) => textOf(point, context),
    })),
    price: { summary },
    payment: { summary: `${summary} by invoice`, summaryHtml: `<strong>${summary}</strong> by invoice` },
    features: {
      branding: hasBranding ? { logoIndicator: true, coverImageIndicator: true } : null,
      searchBulletPoints: bulletPoints === 0 ? null : { limit: bulletPoints },
    },
  };
}

/** Queries for what an ad can be posted with. */
export const productQueries: RootFields = { advertisementProducts: listProducts };
