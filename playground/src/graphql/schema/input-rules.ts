import type { ConstDirectiveNode, GraphQLArgument, GraphQLInputField, GraphQLInputType } from 'graphql';
import type { World } from '../../data/world.js';
import { reachesHirer } from '../access.js';
import type { Context } from '../context.js';
import { graphqlError, invalid } from '../errors.js';
import { isInputObjectType, isListType, isNonNullType, valueFromASTUntyped } from '../graphql-packages.js';
import { assertScheme } from '../find-object.js';

/** A rule of an argument or of a member of an input: a directive of the schema. */
interface Rule {
  /** The sentence that it adds to a description. */
  readonly says?: (args: RuleArgs) => string;
  /** What the value must be, as the end of a sentence; undefined if it is. Throws for what is no fault of the input. */
  readonly check?: (value: never, args: RuleArgs, context: Context, field: string) => string | undefined;
  /** Judges a list as a whole; other rules judge its members. */
  readonly isOfList?: boolean;
}

interface RuleArgs {
  readonly min: number;
  readonly max: number | undefined;
  readonly of: readonly string[];
  readonly member: string | undefined;
  readonly to: 'locations' | 'jobCategories';
  readonly leaf: boolean;
}

/** Texts of more bytes are no e-mail address. */
const EMAIL_BYTES_MAX = 255;
const URL_CHARACTERS_MAX = 1_000;

const RULES: Readonly<Record<string, Rule>> = {
  hirerId: {
    check: (id: string, _args, context, field) => {
      if (reachesHirer(id, context)) return undefined;
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
    check: (value: string | Readonly<Record<string, string>>, { of, member }) => {
      const code = typeof value === 'string' ? value : value[member!];
      return of.includes(code!) ? undefined : `must be one of ${of.join(', ')}`;
    },
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

/** Throws unless the arguments of a field follow the rules that the schema states for them and for what is in them. */
export function assertRules(
  declared: readonly GraphQLArgument[],
  values: Readonly<Record<string, unknown>>,
  context: Context,
): void {
  for (const argument of declared) checkMember(argument, values[argument.name], argument.name, context);
}

/** The description of a member with the sentences of its rules. */
export function describeMember({ description, astNode }: Member): string | null {
  const said = rulesOf(astNode?.directives).map(({ rule, args }) => rule.says?.(args) ?? '');
  return [description ?? '', ...said].filter((text) => text !== '').join(' ') || null;
}

type Member = GraphQLArgument | GraphQLInputField;
type StatedRule = { readonly name: string; readonly rule: Rule; readonly args: RuleArgs };

function rulesOf(directives: readonly ConstDirectiveNode[] = []): StatedRule[] {
  return directives.flatMap(({ name, arguments: given = [] }) => {
    const rule = RULES[name.value];
    if (rule === undefined) return [];
    const args = Object.fromEntries(given.map((one) => [one.name.value, valueFromASTUntyped(one.value)]));
    return [{ name: name.value, rule, args: { min: 0, ...args } as unknown as RuleArgs }];
  });
}

function checkMember(member: Member, value: unknown, field: string, context: Context): void {
  const rules = rulesOf(member.astNode?.directives);
  const isStated = (wanted: string): boolean => rules.some(({ name }) => name === wanted);
  if (value == null) {
    if (isStated('required')) throw invalid(field, 'is required');
  } else if (isStated('absent')) {
    throw invalid(field, 'must be left out');
  } else {
    check(member.type, rules, value, field, context);
  }
}

function check(
  type: GraphQLInputType,
  rules: readonly StatedRule[],
  value: unknown,
  field: string,
  context: Context,
): void {
  if (isNonNullType(type)) return check(type.ofType, rules, value, field, context);
  const isList = isListType(type);
  for (const { rule, args } of rules.filter((one) => isList === (one.rule.isOfList === true))) {
    const requirement = rule.check?.(value as never, args, context, field);
    if (requirement !== undefined) throw invalid(field, requirement);
  }
  if (isList) {
    for (const [index, member] of (value as unknown[]).entries()) {
      if (member !== null) check(type.ofType, rules, member, `${field}[${String(index)}]`, context);
    }
  } else if (isInputObjectType(type)) {
    const values = value as Readonly<Record<string, unknown>>;
    for (const inner of Object.values(type.getFields())) {
      checkMember(inner, values[inner.name], `${field}.${inner.name}`, context);
    }
  }
}

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
