import type { PositionProfileQuery } from '../operations.ts';
import type { TextKey } from '../texts.ts';
import { textOfHtml, htmlOfText } from './html.ts';
import type { Choice, LocationChoice } from './lookups.ts';

/** An ad as the user writes it. It is in memory only, and gone with the hirer. */
export interface Draft {
  /** The same for each attempt to post this ad: a repeat posts no second one. */
  readonly idempotencyId: string;
  /** Of a live ad that is changed. */
  readonly profileId?: string;
  /** An opening that is there already: of an ad that could not be posted. */
  readonly openingId?: string;
  readonly title: string;
  readonly location: LocationChoice | undefined;
  readonly category: Choice | undefined;
  readonly workType: string;
  /** `Salaried Year`: basis and interval. */
  readonly payType: string;
  readonly currency: string;
  readonly payMin: string;
  readonly payMax: string;
  /** What the ad says in place of the amounts. */
  readonly payText: string;
  readonly summary: string;
  readonly bullets: readonly string[];
  readonly details: string;
  readonly reference: string;
  readonly contactName: string;
  readonly contactEmail: string;
  readonly contactRole: string;
  /** Suggested questions of the library. */
  readonly questionIds: readonly string[];
  /** Made of those questions when the ad was sent. */
  readonly questionnaireId?: string | undefined;
  readonly productId: string | undefined;
  /** What a live ad has that this form does not show: an update without it would empty it. */
  readonly kept: Kept;
}

interface Kept {
  readonly billingReference?: string | null;
  readonly brandingId?: string | null;
  readonly applicationUri?: string | undefined;
  readonly video?: { readonly url: string; readonly seekAnzPositionCode: string } | null;
  /** As it came, in place of `text` while that is unchanged. */
  readonly details?: { readonly text: string; readonly html: string };
}

/** The kinds of work that the upstream knows. */
export const WORK_TYPES = ['FullTime', 'PartTime', 'ContractTemp', 'Casual'];
/** The roles that a contact may have. */
export const CONTACT_ROLES = ['Recruiter', 'HiringManager'];
const BULLETS = ['', '', ''];

/** An empty ad. */
export function newDraft(contactName: string): Draft {
  return {
    idempotencyId: crypto.randomUUID(),
    title: '',
    location: undefined,
    category: undefined,
    workType: 'FullTime',
    payType: 'Salaried Year',
    currency: '',
    payMin: '',
    payMax: '',
    payText: '',
    summary: '',
    bullets: BULLETS,
    details: '',
    reference: '',
    contactName,
    contactEmail: '',
    contactRole: CONTACT_ROLES[0]!,
    questionIds: [],
    productId: undefined,
    kept: {},
  };
}

type Profile = NonNullable<PositionProfileQuery['positionProfile']>;

/** A live ad, to be changed. */
export function draftOf(ad: Extract<Profile, { __typename: 'PostedPositionProfile' }>): Draft {
  const textsOf = (kind: string): string[] =>
    ad.positionFormattedDescriptions
      .filter(({ descriptionId }) => descriptionId.value === kind)
      .map(({ content }) => content);
  const [html = ''] = textsOf('AdvertisementDetails');
  const [range] = ad.offeredRemunerationPackage.ranges;
  const [instruction] = ad.postingInstructions;
  const [location] = ad.positionLocation;
  const [category] = ad.jobCategories;
  const currency = range?.minimumAmount.currency ?? '';
  const details = { html, text: textOfHtml(html) };
  return {
    ...newDraft(''),
    profileId: ad.profileId.value,
    title: ad.positionTitle,
    location: location && {
      id: location.id.value,
      label: location.contextualName,
      currencies: [currency],
    },
    category: category && { id: category.id.value, label: category.name },
    workType: ad.seekAnzWorkTypeCode ?? '',
    payType: `${ad.offeredRemunerationPackage.basisCode} ${range?.intervalCode ?? ''}`,
    currency,
    payMin: String(range?.minimumAmount.value ?? ''),
    payMax: String(range?.maximumAmount?.value ?? ''),
    payText: ad.offeredRemunerationPackage.descriptions[0] ?? '',
    summary: textOfHtml(textsOf('SearchSummary')[0] ?? ''),
    bullets: BULLETS.map((none, at) => textsOf('SearchBulletPoint').map(textOfHtml)[at] ?? none),
    details: details.text,
    reference: ad.seekHirerJobReference ?? '',
    kept: {
      billingReference: ad.seekBillingReference,
      brandingId: instruction?.brandingId ?? null,
      applicationUri: instruction?.applicationMethods[0]?.applicationUri?.url,
      video: ad.seekVideo,
      details,
    },
  };
}

/** A field of the form that has a fault. */
export type Field = keyof Draft;

/** What the parts of the form get. */
export interface FormPart {
  readonly draft: Draft;
  readonly set: (change: Partial<Draft>) => void;
  /** Of a field, once the user has tried to send the form. */
  readonly faultOf: (name: Field) => TextKey | undefined;
}

/** The upstream's rules (the comments of its schema), so that most faults are told before anything is sent. */
export function faultsOf(draft: Draft): Partial<Record<Field, TextKey>> {
  const faults: Partial<Record<Field, TextKey>> = {};
  const say = (field: Field, text: TextKey, isFault: boolean) => {
    if (isFault) faults[field] ??= text;
  };
  for (const field of ['title', 'summary', 'details', 'payMin', 'currency', 'workType'] as const) {
    say(field, 'required', draft[field].trim() === '');
  }
  say('location', 'chooseFromList', !draft.location);
  say('category', 'chooseFromList', !draft.category);
  const [min, max] = [Number(draft.payMin), Number(draft.payMax)];
  say('payMin', 'moreThanZero', !(min > 0));
  say('payMax', 'notBelowMin', draft.payMax !== '' && !(max >= min));
  for (const [field, most] of Object.entries(CHARACTERS_MAX) as [Field, number][]) {
    const texts = [draft[field]].flat() as string[];
    const isTooLong = texts.some((text) => text.length > most);
    say(field, 'tooLong', isTooLong);
  }
  say('details', 'tooLong', htmlOfText(draft.details).length > DETAILS_MAX);
  say('productId', 'chooseProduct', draft.productId === undefined);
  if (draft.profileId === undefined) {
    say('contactName', 'required', draft.contactName.trim() === '');
    say('contactEmail', 'emailWanted', !/^[^\s@]+@[^\s@]+$/.test(draft.contactEmail));
  }
  return faults;
}

/** With its markup. */
const DETAILS_MAX = 15_000;

/** How long the texts may be. */
export const CHARACTERS_MAX = {
  title: 80,
  summary: 150,
  bullets: 80,
  details: DETAILS_MAX,
  payText: 50,
  reference: 40,
  contactName: 255,
} satisfies Partial<Record<Field, number>>;

/** What products and questions are offered for. */
export type Subject = NonNullable<ReturnType<typeof subjectOf>>;

/** The subject of a draft; undefined while too little of the ad is known. */
export function subjectOf({ title, location, category, profileId }: Draft, hirerId: string) {
  if (title.trim() === '' || title.length > CHARACTERS_MAX.title || !location || !category) return undefined;
  return {
    ...(profileId !== undefined && { profileId }),
    positionTitle: title.trim(),
    positionLocation: [location.id],
    jobCategories: [category.id],
    positionOrganizations: [hirerId],
  };
}

/** The content of the ad, as all of the upstream's inputs have it. */
export function contentOf(draft: Draft, hirerId: string) {
  const { kept, currency } = draft;
  const [basisCode = '', intervalCode = ''] = draft.payType.split(' ');
  const describe = (descriptionId: string, content: string) => ({ descriptionId, content });
  const details = kept.details?.text === draft.details ? kept.details.html : htmlOfText(draft.details);
  return {
    positionTitle: draft.title.trim(),
    positionLocation: [draft.location!.id],
    jobCategories: [draft.category!.id],
    positionOrganizations: [hirerId],
    seekAnzWorkTypeCode: draft.workType,
    offeredRemunerationPackage: {
      basisCode,
      descriptions: draft.payText.trim() === '' ? [] : [draft.payText.trim()],
      ranges: [
        {
          intervalCode,
          minimumAmount: { currency, value: Number(draft.payMin) },
          ...(draft.payMax !== '' && { maximumAmount: { currency, value: Number(draft.payMax) } }),
        },
      ],
    },
    positionFormattedDescriptions: [
      describe('AdvertisementDetails', details),
      describe('SearchSummary', draft.summary.trim()),
      ...draft.bullets
        .filter((text) => text.trim() !== '')
        .map((text) => describe('SearchBulletPoint', text.trim())),
    ],
    ...(draft.questionnaireId !== undefined && { seekApplicationQuestionnaireId: draft.questionnaireId }),
    ...(kept.video && { seekVideo: kept.video }),
  };
}

/** What a preview does not take: references. */
export function referencesOf({ reference, kept }: Draft) {
  return {
    ...(reference.trim() !== '' && { seekHirerJobReference: reference.trim() }),
    ...(kept.billingReference != null && { seekBillingReference: kept.billingReference }),
  };
}

/** How the ad is posted. */
export function instructionOf({ productId, kept }: Draft) {
  return {
    seekAdvertisementProductId: productId!,
    ...(kept.brandingId != null && { brandingId: kept.brandingId }),
    ...(kept.applicationUri !== undefined && {
      applicationMethods: [{ applicationUri: { url: kept.applicationUri } }],
    }),
  };
}
