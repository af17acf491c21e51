import { childrenOf } from '../ontologies/category-views.js';
import { ALL_CURRENCIES, PAY_TYPES } from '../../data/positions/money.js';
import type { Amount, Description, Remuneration } from '../../data/positions/position-records.js';
import type { Context } from '../context.js';
import { invalid } from '../errors.js';
import { requireObject } from '../find-object.js';
import { assertCount, assertLength, assertOneOf } from '../input-checks.js';

/** The longest title of a position. */
export const TITLE_CHARACTERS_MAX = 80;
/** The schedules that a profile for internal use may state. */
export const SCHEDULE_TYPES = ['FullTime', 'PartTime'];
/** The kinds of work that an ad may state. */
export const WORK_TYPES = ['Casual', 'ContractTemp', 'FullTime', 'PartTime'];

/** Throws unless the identifier is that of a category without children, under which positions are posted. */
export function requireCategory(id: string, field: string, { world }: Context): void {
  requireObject(world.jobCategories, id, field);
  if (childrenOf(world, id).length > 0) throw invalid(field, 'must identify a category without children');
}

/** Throws unless the identifier is that of a location. */
export function requireLocation(id: string, field: string, { world }: Context): void {
  requireObject(world.locations, id, field);
}

const DESCRIPTION_CHARACTERS_MAX: Readonly<Record<string, number>> = {
  AdvertisementDetails: 15_000,
  SearchBulletPoint: 80,
  SearchSummary: 150,
};
const BULLET_POINTS_MAX = 3;

/** Throws unless every text is of a known type and not too long. */
export function checkDescriptions(descriptions: readonly Description[], field: string): void {
  for (const [index, { descriptionId, content }] of descriptions.entries()) {
    const path = `${field}[${String(index)}]`;
    assertOneOf(descriptionId, Object.keys(DESCRIPTION_CHARACTERS_MAX), `${path}.descriptionId`);
    assertLength(content, DESCRIPTION_CHARACTERS_MAX[descriptionId] ?? 0, `${path}.content`);
  }
  const bulletPoints = descriptions.filter(({ descriptionId }) => descriptionId === 'SearchBulletPoint');
  if (bulletPoints.length > BULLET_POINTS_MAX) {
    throw invalid(field, 'must have at most 3 of SearchBulletPoint');
  }
}

/** Throws unless an ad has its details and its summary, once each. */
export function checkAdDescriptions(descriptions: readonly Description[], field: string): void {
  checkDescriptions(descriptions, field);
  for (const wanted of ['AdvertisementDetails', 'SearchSummary']) {
    const count = descriptions.filter(({ descriptionId }) => descriptionId === wanted).length;
    if (count !== 1) throw invalid(field, `must have ${wanted} exactly once`);
  }
}

/** RemunerationPackageInput of the schema; a preview may leave more out. */
export interface RemunerationInput {
  readonly basisCode: string;
  readonly descriptions: readonly string[];
  readonly ranges: readonly {
    readonly intervalCode: string;
    readonly minimumAmount: Amount;
    readonly maximumAmount?: Amount | null;
  }[];
}

/** The pay that an input describes. Throws unless basis, interval and currency are known and the amounts in order. */
export function readRemuneration(input: RemunerationInput, rangesMax: number, field: string): Remuneration {
  const { basisCode, descriptions, ranges } = input;
  assertOneOf(basisCode, [...new Set(PAY_TYPES.map((type) => type.basisCode))], `${field}.basisCode`);
  assertCount(descriptions, 0, rangesMax, `${field}.descriptions`);
  for (const [index, text] of descriptions.entries()) {
    assertLength(text, 50, `${field}.descriptions[${String(index)}]`);
  }
  assertCount(ranges, 1, rangesMax, `${field}.ranges`);
  return {
    basisCode,
    descriptions,
    ranges: ranges.map((range, index) => readRange(range, basisCode, `${field}.ranges[${String(index)}]`)),
  };
}

function readRange(
  { intervalCode, minimumAmount, maximumAmount }: RemunerationInput['ranges'][number],
  basisCode: string,
  field: string,
): Remuneration['ranges'][number] {
  const intervals = PAY_TYPES.filter((type) => type.basisCode === basisCode).map((type) => type.intervalCode);
  assertOneOf(intervalCode, intervals, `${field}.intervalCode`);
  checkAmount(minimumAmount, `${field}.minimumAmount`);
  if (minimumAmount.value <= 0) throw invalid(`${field}.minimumAmount.value`, 'must be more than 0');
  const maximum = maximumAmount ?? minimumAmount;
  checkAmount(maximum, `${field}.maximumAmount`);
  if (maximum.currency !== minimumAmount.currency) {
    throw invalid(`${field}.maximumAmount.currency`, 'must be that of minimumAmount');
  }
  if (maximum.value < minimumAmount.value) {
    throw invalid(`${field}.maximumAmount.value`, 'must not be below minimumAmount');
  }
  return { intervalCode, minimumAmount, maximumAmount: maximum };
}

function checkAmount({ currency, value }: Amount, field: string): void {
  assertOneOf(currency, ALL_CURRENCIES, `${field}.currency`);
  if (!Number.isFinite(value) || value < 0) throw invalid(`${field}.value`, 'must not be negative');
}
