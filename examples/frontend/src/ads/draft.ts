import { htmlOfText } from './html.ts';
import type { LocationChoice } from './location-field.tsx';

/** An ad as the user writes it: the fields of the form by their names. It is in memory only, and gone with the hirer. */
export interface Draft {
  /** The same for each attempt to post this ad: a repeat posts no second one. */
  readonly idempotencyId: string;
  readonly location?: LocationChoice | undefined;
  readonly title: string;
  readonly categoryId: string;
  readonly workType: string;
  /** `Salaried Year`: basis and interval. */
  readonly payType: string;
  readonly payMin: string;
  readonly payMax: string;
  readonly summary: string;
  readonly details: string;
  readonly email: string;
  readonly productId: string;
}

/** The upstream's limits in characters (the comments of its schema); of the details, with their markup. */
export const CHARACTERS_MAX = { title: 80, summary: 150, details: 15_000 };

/** An empty ad. */
export const newDraft = (): Draft => ({
  idempotencyId: crypto.randomUUID(),
  title: '',
  categoryId: '',
  workType: 'FullTime',
  payType: 'Salaried Year',
  payMin: '',
  payMax: '',
  summary: '',
  details: '',
  email: '',
  productId: '',
});

/** What the upstream's products and prices depend on; undefined while too little of the ad is known. */
export function subjectOf({ title, location, categoryId }: Draft, hirerId: string) {
  if (title.trim() === '' || !location || categoryId === '') return undefined;
  return {
    positionTitle: title.trim(),
    positionLocation: [location.id],
    jobCategories: [categoryId],
    positionOrganizations: [hirerId],
  };
}

/** The ad as the upstream takes it. */
export function positionProfileOf(draft: Draft, hirerId: string) {
  const [currency = ''] = draft.location!.currencies;
  const [basisCode = '', intervalCode = ''] = draft.payType.split(' ');
  const range = {
    intervalCode,
    minimumAmount: { currency, value: Number(draft.payMin) },
    ...(draft.payMax !== '' && { maximumAmount: { currency, value: Number(draft.payMax) } }),
  };
  return {
    ...subjectOf(draft, hirerId)!,
    seekAnzWorkTypeCode: draft.workType,
    offeredRemunerationPackage: { basisCode, descriptions: [], ranges: [range] },
    positionFormattedDescriptions: [
      { descriptionId: 'AdvertisementDetails', content: htmlOfText(draft.details) },
      { descriptionId: 'SearchSummary', content: draft.summary.trim() },
    ],
    postingInstructions: [
      { seekAdvertisementProductId: draft.productId, idempotencyId: draft.idempotencyId },
    ],
  };
}
