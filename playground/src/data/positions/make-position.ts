import { tradeOf, type Hirer } from '../hirers.js';
import { MONTHLY_PAY, PAY_TYPES, type Location } from '../ontologies.js';
import { makePerson } from '../candidates/people.js';
import {
  AD_TYPES,
  type Advertisement,
  type Description,
  type PositionOpening,
  type PositionProfile,
  type Remuneration,
} from './position-records.js';
import type { SeededRandom } from '../random.js';
import { readTable } from '../tables.js';
import type { World } from '../world.js';

const DAY_MS = 86_400_000;

/** An opening without any profile yet. */
export function makeOpening(hirer: Hirer, random: SeededRandom): PositionOpening {
  const contact = makePerson(random, hirer.market);
  return {
    id: `seekAnzPublicTest:positionOpening:seek:${random.suffix()}`,
    hirerId: hirer.id,
    statusCode: 'Active',
    contacts: [{ ...contact, roleCode: 'HiringManager' }],
    seekPartnerMetadata: null,
    profileIds: [],
  };
}

/** How to make a position. With a known suffix it is open, so that examples can rely on it. */
export interface PositionPlan {
  /** The time that everything is relative to. */
  readonly startMs: number;
  readonly isPosted: boolean;
  readonly suffix?: string | undefined;
  /** When an ad was posted; some time in the last 180 days by default. */
  readonly postedMs?: number;
  /** Made up by default. */
  readonly title?: string | undefined;
  /** Another profile of the opening: it presents the same vacancy. */
  readonly vacancy?: Pick<PositionProfile, 'positionTitle' | 'jobCategories'> | undefined;
}

/** A profile of an opening, which does not list it yet. */
export function makePosition(
  world: World,
  hirer: Hirer,
  opening: PositionOpening,
  random: SeededRandom,
  plan: PositionPlan,
): PositionProfile {
  const category = random.pick(tradeOf(hirer, world));
  const place = random.pick(placesOf(hirer, world));
  const madeUp = random.pick(category.titles);
  const title = plan.title ?? plan.vacancy?.positionTitle ?? madeUp;
  return {
    id: `seekAnzPublicTest:positionProfile:jobAd:${plan.suffix ?? random.suffix(9)}`,
    openingId: opening.id,
    hirerId: hirer.id,
    profileName: plan.isPosted ? null : `${title}, talent pool`,
    positionTitle: title,
    positionLocation: [place.id],
    jobCategories: plan.vacancy?.jobCategories ?? [category.id],
    positionFormattedDescriptions: makeDescriptions(title, hirer, random),
    offeredRemunerationPackage: makePay(random.pick(place.currencyCodes), random),
    positionScheduleTypeCodes: plan.isPosted ? null : ['FullTime'],
    seekBillingReference: random.chance(0.3) ? `PO-${String(random.int(1000, 9999))}` : null,
    seekHirerJobReference: `REQ-${String(random.int(10_000, 99_999))}`,
    seekPartnerMetadata: null,
    ad: plan.isPosted ? makeAdvertisement(world, hirer, random, plan) : null,
  };
}

function makeAdvertisement(
  world: World,
  hirer: Hirer,
  random: SeededRandom,
  { startMs, suffix, ...plan }: PositionPlan,
): Advertisement {
  const ownOf = <T extends { readonly hirerId: string; readonly id: string }>(
    records: Map<string, T>,
  ): string => random.pick([...records.values()].filter(({ hirerId }) => hirerId === hirer.id)).id;
  const isFixed = suffix !== undefined;
  const daysAgo = random.int(1, 180);
  const postedMs = plan.postedMs ?? startMs - (isFixed ? 5 : daysAgo) * DAY_MS + random.int(0, DAY_MS - 1);
  const applicationUri = isFixed || random.chance(0.92) ? null : 'https://hirer.example/careers/apply';
  return {
    workTypeCode: random.pick(['FullTime', 'PartTime', 'ContractTemp', 'Casual']),
    workArrangementCodes: [random.pick(['OnSite', 'Hybrid', 'Remote'])],
    seekAnzAdvertisementType: random.pick(AD_TYPES),
    questionnaireId:
      applicationUri === null && (isFixed || random.chance(0.5)) ? ownOf(world.questionnaires) : null,
    brandingId: random.chance(0.7) || isFixed ? ownOf(world.brandings) : null,
    applicationUri,
    video: random.chance(0.9)
      ? null
      : { url: 'https://www.youtube.com/embed/playground', seekAnzPositionCode: 'Below' },
    idempotencyId: null,
    createdBySelf: random.chance(0.8),
    startMs: postedMs,
    // Some are closed early by their hirer, but none that is still open.
    endMs: postedMs + (isFixed || daysAgo <= 30 || random.chance(0.8) ? 30 : random.int(3, 25)) * DAY_MS,
    processing: 'done',
  };
}

/** The places without a smaller one inside, in the countries that the hirer recruits in. */
function placesOf({ countryCodes }: Hirer, { locations }: World): Location[] {
  const parents = new Set([...locations.values()].map(({ parentId }) => parentId));
  return [...locations.values()].filter(
    ({ id, countryCode }) => countryCodes.includes(countryCode) && !parents.has(id),
  );
}

const AD = readTable<Readonly<Record<'teams' | 'tasks' | 'offers' | 'payNotes', readonly string[]>>>('ad');

/** The texts of an ad: its details with tasks and offers, a summary, and bullet points. */
function makeDescriptions(title: string, { name }: Hirer, random: SeededRandom): Description[] {
  const tasks = AD.tasks.filter(() => random.chance(0.6));
  const offers = AD.offers.filter(() => random.chance(0.5)).slice(0, 3);
  const list = (heading: string, items: readonly string[]): string =>
    items.length === 0
      ? ''
      : `<p><strong>${heading}</strong></p><ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`;
  const opening = `<p>Work as ${title} at ${name}, in ${random.pick(AD.teams)}.</p>`;
  const closing = '<p>Apply now. We answer within two weeks.</p>';
  const details = `${opening}${list('Your work', tasks)}${list('What we offer', offers)}${closing}`;
  return [
    { descriptionId: 'AdvertisementDetails', content: details },
    { descriptionId: 'SearchSummary', content: `Join ${name} as ${title}.` },
    ...offers.map((content) => ({ descriptionId: 'SearchBulletPoint', content })),
  ];
}

/** How many months an interval has. */
const INTERVALS: Readonly<Record<string, number>> = { Hour: 1 / 160, Month: 1, Year: 12 };

/** Pay in a currency, in any of the forms that an ad may state. */
function makePay(currency: string, random: SeededRandom): Remuneration {
  const { basisCode, intervalCode } = random.pick(PAY_TYPES);
  const [from, to, step] = MONTHLY_PAY[currency]!;
  const least = from + step * random.int(0, Math.floor((to - from) / step));
  const most = least + step * random.int(5, 20);
  const amount = (month: number) => ({ currency, value: Math.round(month * (INTERVALS[intervalCode] ?? 1)) });
  return {
    basisCode,
    descriptions: random.chance(0.6) ? [] : [random.pick(AD.payNotes)],
    ranges: [{ intervalCode, minimumAmount: amount(least), maximumAmount: amount(most) }],
  };
}
