import { PAY_TYPES } from '../../data/ontologies.js';
import type { Description, Remuneration } from '../../data/positions/position-records.js';
import type { World } from '../../data/world.js';
import { reachesHirer } from '../access.js';
import type { Context } from '../context.js';
import { graphqlError, invalid } from '../errors.js';
import { assertIdOfPlayground, assertScheme } from '../find-object.js';

/** A rule of an argument or of a member of an input: a directive of the schema. */
export interface Rule {
  /** The sentence that it adds to a description. */
  readonly says?: (args: RuleArgs) => string;
  /** What the value must be, as the end of a sentence; undefined if it is. Throws for what is no fault of the input. */
  readonly check?: (value: never, args: RuleArgs, context: Context, field: string) => string | undefined;
  /** Judges a list as a whole; other rules judge its members. */
  readonly isOfList?: boolean;
}

/** The arguments of the directive. */
export interface RuleArgs {
  readonly min: number;
  readonly max: number | undefined;
  readonly of: readonly string[];
  readonly member: string | undefined;
  readonly to: 'locations' | 'jobCategories';
  readonly leaf: boolean;
  readonly complete: boolean;
}

/** Texts of more bytes are no e-mail address. */
const EMAIL_BYTES_MAX = 255;
const URL_CHARACTERS_MAX = 1_000;

/** Every rule by the name of its directive. */
export const INPUT_RULES: Readonly<Record<string, Rule>> = {
  hirerId: {
    check: (id: string, _args, context, field) => {
      if (reachesHirer(id, context)) return undefined;
      assertIdOfPlayground(id);
      throw graphqlError('FORBIDDEN', `There is no relationship with the hirer in ${field}.`, field);
    },
  },
  scheme: {
    check: (scheme: string) => {
      assertScheme(scheme);
      return undefined;
    },
  },
  count: {
    isOfList: true,
    says: (args) => `${sentence(boundsOf(args))}.`,
    check: ({ length }: readonly unknown[], { min, max = Infinity }) =>
      length >= min && length <= max ? undefined : `must have ${boundsOf({ min, max })} members`,
  },
  length: {
    says: ({ max }) => `${max!.toLocaleString('en')} characters at most.`,
    check: (text: string, { max }) =>
      text.length <= max! ? undefined : `must have at most ${String(max)} characters`,
  },
  text: {
    says: ({ max }) => `${max!.toLocaleString('en')} characters at most, and not blank.`,
    check: (text: string, { max }) =>
      text.trim() !== '' && text.length <= max!
        ? undefined
        : `must have at most ${String(max)} characters and must not be blank`,
  },
  code: {
    says: ({ of }) => `${of.length === 1 ? 'Always' : 'One of'} ${of.map((one) => `\`${one}\``).join(', ')}.`,
    check: (value: string | Readonly<Record<string, string>>, { of, member }, _context, field) => {
      const code = typeof value === 'string' ? value : value[member!]!;
      if (of.includes(code)) return undefined;
      throw invalid(member === undefined ? field : `${field}.${member}`, `must be one of ${of.join(', ')}`);
    },
  },
  needs: {
    says: ({ of }) => `With ${of.map((one) => `\`${one}\``).join(' and ')}.`,
    check: (value: object, { of }, _context, field) => {
      for (const path of of) {
        const names = path.split('.');
        const found = names.reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], value);
        if (found === null || (Array.isArray(found) && found.length === 0)) {
          throw invalid(`${field}.${path}`, 'is required');
        }
      }
      return undefined;
    },
  },
  descriptions: {
    isOfList: true,
    says: ({ complete }) =>
      `Three of \`SearchBulletPoint\` at most${complete ? ', and one of each other' : ''}.`,
    check: checkDescriptions,
  },
  pay: {
    says: ({ max }) => (max === 1 ? 'Exactly one range.' : `${String(max)} ranges at most.`),
    check: checkPay,
  },
  range: {
    says: (args) => `${sentence(boundsOf(args))}.`,
    check: (value: number, { min, max = Infinity }) =>
      value >= min && value <= max ? undefined : `must be ${boundsOf({ min, max })}`,
  },
  refers: {
    says: ({ leaf }) => (leaf ? 'Without children.' : ''),
    check: (id: string, { to, leaf }, { world }) => {
      if (!world[to].has(id)) return 'must identify an object that exists';
      return leaf && hasChildren(id, world) ? 'must identify a category without children' : undefined;
    },
  },
  webUrl: {
    says: () => 'An absolute http or https address of 1,000 characters at most.',
    check: (url: string) => {
      const isWeb = URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
      if (isWeb && url.length <= URL_CHARACTERS_MAX) return undefined;
      return 'must be an absolute http or https address of at most 1000 characters';
    },
  },
  email: {
    says: () => '255 bytes at most.',
    check: (address: string) =>
      /^[^\s@]+@[^\s@]+$/.test(address) && Buffer.byteLength(address) <= EMAIL_BYTES_MAX
        ? undefined
        : `must be an e-mail address of at most ${String(EMAIL_BYTES_MAX)} bytes`,
  },
  country: {
    says: () => 'Two capital letters (ISO 3166-1).',
    check: (code: string) => (/^[A-Z]{2}$/.test(code) ? undefined : 'must be two capital letters'),
  },
  required: { says: () => 'Required.' },
  absent: {},
};

function boundsOf({ min, max }: Pick<RuleArgs, 'min' | 'max'>): string {
  if (max === undefined || max === Infinity) return `at least ${String(min)}`;
  if (min === max) return `exactly ${String(min)}`;
  return min === 0 ? `at most ${String(max)}` : `from ${String(min)} to ${String(max)}`;
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function hasChildren(id: string, { jobCategories }: World): boolean {
  return [...jobCategories.values()].some(({ parentId }) => parentId === id);
}

const DESCRIPTION_CHARACTERS_MAX: Readonly<Record<string, number>> = {
  AdvertisementDetails: 15_000,
  SearchBulletPoint: 80,
  SearchSummary: 150,
};
const BULLET_POINTS_MAX = 3;

function checkDescriptions(
  descriptions: readonly Description[],
  { complete }: RuleArgs,
  _context: Context,
  field: string,
): string | undefined {
  for (const [index, { descriptionId, content }] of descriptions.entries()) {
    const max = DESCRIPTION_CHARACTERS_MAX[descriptionId]!;
    if (content.length <= max) continue;
    throw invalid(`${field}[${String(index)}].content`, `must have at most ${String(max)} characters`);
  }
  const countOf = (wanted: string): number =>
    descriptions.filter(({ descriptionId }) => descriptionId === wanted).length;
  if (countOf('SearchBulletPoint') > BULLET_POINTS_MAX) return 'must have at most 3 of SearchBulletPoint';
  const missing = ['AdvertisementDetails', 'SearchSummary'].find((wanted) => countOf(wanted) !== 1);
  return complete && missing !== undefined ? `must have ${missing} exactly once` : undefined;
}

/** Every interval is one of the basis, and the amounts are in order. A preview may leave out basis and ranges. */
function checkPay(
  {
    basisCode,
    ranges,
    descriptions,
  }: Pick<Remuneration, 'descriptions'> & { [Name in 'basisCode' | 'ranges']: Remuneration[Name] | null },
  { max = 1 }: RuleArgs,
  _context: Context,
  field: string,
): string | undefined {
  if (basisCode === null || ranges === null) return undefined;
  if (descriptions.length > max) {
    throw invalid(`${field}.descriptions`, `must have at most ${String(max)} members`);
  }
  if (ranges.length === 0 || ranges.length > max) {
    throw invalid(`${field}.ranges`, `must have from 1 to ${String(max)} members`);
  }
  const intervals = PAY_TYPES.filter((type) => type.basisCode === basisCode);
  for (const [index, range] of ranges.entries()) {
    const path = `${field}.ranges[${String(index)}]`;
    if (!intervals.some(({ intervalCode }) => intervalCode === range.intervalCode)) {
      throw invalid(`${path}.intervalCode`, 'must be one that a pay type has for the basis');
    }
    checkAmounts(range, path);
  }
  return undefined;
}

function checkAmounts({ minimumAmount, maximumAmount }: Remuneration['ranges'][number], field: string): void {
  if (minimumAmount.value <= 0) throw invalid(`${field}.minimumAmount.value`, 'must be more than 0');
  if (maximumAmount === null) return;
  if (maximumAmount.currency !== minimumAmount.currency) {
    throw invalid(`${field}.maximumAmount.currency`, 'must be that of minimumAmount');
  }
  if (maximumAmount.value < minimumAmount.value) {
    throw invalid(`${field}.maximumAmount.value`, 'must not be below minimumAmount');
  }
}
