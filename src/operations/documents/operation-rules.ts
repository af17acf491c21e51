import { Kind, type ValueNode } from 'graphql';
import { clip } from '../../errors/bff-error.js';

/** How the text of an operation uses arguments, for the rules of interface 4.3. */
export interface ArgumentUse {
  /**
   * Rule 1: arguments written into the text, each as a sentence with its corrected form, and the line of the first; 0 where
   * the text was read without places. {@link BREAKS_MAX} at most.
   */
  readonly inlined: ReadonlyMap<string, number>;
  /** Variables that may be left out, and where each is used: `events(after:)`. */
  readonly optional: ReadonlyMap<string, string>;
}

/** Most breaks that are reported for one request. */
export const BREAKS_MAX = 10;
const PATH_CHARACTERS_MAX = 200;

/**
 * Rule 1 and rule 2 of interface 4.3 for one call: a sentence for each break, with the corrected form, of the first
 * {@link BREAKS_MAX}.
 * @param variables at most as deeply nested as a request may be: the walk is recursive
 */
export function findRuleBreaks(
  { inlined, optional }: ArgumentUse,
  variables: Readonly<Record<string, unknown>>,
): readonly string[] {
  const breaks: string[] = [];
  for (const [name, use] of optional) {
    if (breaks.length >= BREAKS_MAX) break;
    if (!Object.hasOwn(variables, name)) {
      if (use !== '') {
        breaks.push(`${use} is set to $${clip(name)}, which carries no value; leave the argument out`);
      }
    } else if (isEmpty(variables[name])) {
      breaks.push(describeEmpty(clip(name), variables[name]));
    }
  }
  for (const name in variables) {
    const value = variables[name];
    if (typeof value === 'object' && value !== null) findEmptyMembers(value, clip(name), breaks);
  }
  return [...inlined.keys(), ...breaks].slice(0, BREAKS_MAX);
}

/**
 * Members of input objects; the elements of a list are not arguments, but may be objects.
 * @param place of the value, by names and indices
 */
function findEmptyMembers(value: object, place: string, breaks: string[]): void {
  const isList = Array.isArray(value);
  for (const key in value) {
    if (breaks.length >= BREAKS_MAX) return;
    const member = (value as Record<string, unknown>)[key];
    const isMissing = !isList && isEmpty(member);
    if (!isMissing && (typeof member !== 'object' || member === null)) continue;
    const below = isList ? `${place}[${key}]` : `${place}.${clip(key)}`;
    if (isMissing) breaks.push(describeEmpty(below, member));
    else findEmptyMembers(member as object, below, breaks);
  }
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '';
}

function describeEmpty(place: string, value: unknown): string {
  const what = value === null ? 'null' : 'an empty string';
  return `$${clip(place, PATH_CHARACTERS_MAX)} is ${what}; leave it out when it is not used`;
}

/** An inlined argument and its corrected form; without the value, which may be personal: the sentence goes to the log. */
export function describeInlined(
  operation: string,
  field: string,
  argument: string,
  value: ValueNode,
): string {
  const corrected = `${operation} ($${argument}: ${TYPES[value.kind] ?? 'its type'}) { ${field}(${argument}: $${argument}) }`;
  return `${field}(${argument}:) is inlined; write ${corrected} and send variables {"${argument}": ...}`;
}

/** The most likely type of a literal; a type that only the schema knows is left to the author. */
const TYPES: Readonly<Partial<Record<Kind, string>>> = {
  [Kind.STRING]: 'String!',
  [Kind.INT]: 'Int!',
  [Kind.FLOAT]: 'Float!',
  [Kind.BOOLEAN]: 'Boolean!',
};
