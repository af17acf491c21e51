import { AD_TYPES, type AdType } from '../../data/positions/position-records.js';
import { type Context, type RootFields, textOf } from '../context.js';
import { assertLength, assertOneOf, assertText } from '../input-checks.js';
import { requireCategory, requireLocation, TITLE_CHARACTERS_MAX } from '../positions/profile-checks.js';
import { currencyFor, offersFor, requireLiveAd, type Offer } from './product-offers.js';

/** SeekAnzAdProductAdvertisementDraftInput of the schema. */
interface DraftInput {
  readonly jobCategoryId?: string | null;
  readonly positionLocationId?: string | null;
  readonly positionTitle?: string | null;
  readonly typeCode?: string | null;
}

/** SeekAnzAdProductAdvertisementInput of the schema. */
interface RememberedInput extends DraftInput {
  readonly positionTitle: string;
  readonly typeCode: string;
}

interface CreationArgs {
  readonly hirerId: string;
  readonly draftAdvertisement: DraftInput;
}

/** The products of a hirer, for the location of the draft if it has one. */
function listOffers(
  { hirerId, draftAdvertisement }: CreationArgs,
  context: Context,
  current?: AdType,
): object[] {
  checkDraft(draftAdvertisement, 'draftAdvertisement', context);
  const currency = currencyFor({ hirerId, locationId: draftAdvertisement.positionLocationId }, context);
  return offersFor(currency, current).map(offerView);
}

function checkDraft(
  { jobCategoryId, positionLocationId, positionTitle, typeCode }: DraftInput,
  field: string,
  context: Context,
): void {
  if (jobCategoryId != null) requireCategory(jobCategoryId, `${field}.jobCategoryId`, context);
  if (positionLocationId != null) requireLocation(positionLocationId, `${field}.positionLocationId`, context);
  assertLength(positionTitle, TITLE_CHARACTERS_MAX, `${field}.positionTitle`);
  if (typeCode != null) assertOneOf(typeCode, AD_TYPES, `${field}.typeCode`);
}

/** SeekAnzAdProduct of the schema. */
function offerView({ product, currency, price, isEnabled }: Offer): object {
  const amount = { currency, value: price * 100 };
  const summary = `${currency} ${price.toFixed(2)}`;
  return {
    advertisementTypeCode: product.type,
    name: (_args: unknown, context: Context) => textOf(product.label, context),
    description: (_args: unknown, context: Context) => textOf(product.description, context),
    enabledIndicator: isEnabled,
    features: {
      brandingIndicator: product.hasBranding,
      searchBulletPointsIndicator: product.bulletPoints > 0,
    },
    price: { amountExcludingTax: amount, summary, taxedIndicator: true, visibleForHirerIndicator: true },
    checkoutEstimate: {
      contractConsumption: null,
      paymentDueExcludingTax: amount,
      summary: `${summary} by invoice`,
    },
    messages: isEnabled ? [] : [UNAVAILABLE],
  };
}

const UNAVAILABLE = {
  typeCode: 'ProductUnavailable',
  severityCode: 'Informational',
  visibilityCode: 'Always',
  content: 'A live ad cannot be changed to a product with less.',
};

/** The queries of products that name the hirer in an argument of their own. */
export const hirerProductQueries: RootFields = {
  seekAnzHirerAdvertisementCreationProducts: (args: CreationArgs, context) => listOffers(args, context),
  seekAnzHirerAdvertisementModificationProducts: (
    { advertisementId, ...args }: CreationArgs & { advertisementId: string },
    context,
  ) =>
    listOffers(
      args,
      context,
      requireLiveAd(advertisementId, args.hirerId, 'advertisementId', context).ad.adType,
    ),
  seekAnzHirerAdvertisementModificationProductsAlt: (
    { advertisement, ...args }: CreationArgs & { advertisement: RememberedInput },
    context,
  ) => {
    checkDraft(advertisement, 'advertisement', context);
    assertText(advertisement.positionTitle, TITLE_CHARACTERS_MAX, 'advertisement.positionTitle');
    return listOffers(args, context, advertisement.typeCode as AdType);
  },
};
