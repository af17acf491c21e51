import { clip } from '../../errors/bff-error.js';

/** How the text of an operation uses arguments, for the rules of interface 4.3. */
export interface ArgumentUse {
  /** Rule 1: arguments written into the text, `location(id:)`; {@link BREAKS_MAX} at most. */
  readonly inlined: ReadonlySet<string>;
  /** Variables that may be left out, and where each is used if it has no default: `events(after:)`. */
  readonly optional: ReadonlyMap<string, string | undefined>;
}

/** Most breaks that are reported for one request. */
export const BREAKS_MAX = 10;
const PATH_CHARACTERS_MAX = 200;

/**
 * Rules 1 and 2 of interface 4.3 for one call: a sentence for each break. None has a value, which may be personal: the
 * sentences go to the log. The walk is recursive, so `variables` are as deep as a request may be.
 */
export function findRuleBreaks(
  { inlined, optional }: ArgumentUse,
  variables: Readonly<Record<string, unknown>>,
): readonly string[] {
  const breaks: string[] = [];
  for (const use of inlined) breaks.push(`${use} is inlined; pass it as a variable`);
  for (const [name, use] of optional) {
    if (use === undefined || Object.hasOwn(variables, name)) continue;
    breaks.push(`${use} is set to $${clip(name)}, which carries no value; leave the argument out`);
  }
  for (const name in variables) {
    const value = variables[name];
    if (optional.has(name) || typeof value === 'object') findEmpty(value, clip(name), breaks);
  }
  return breaks.slice(0, BREAKS_MAX);
}

/**
 * Null and empty texts, as a variable and as members of input objects; the elements of a list are not arguments.
 */
function findEmpty(value: unknown, place: string, breaks: string[]): void {
  if (breaks.length >= BREAKS_MAX) return;
  if (value === null || value === '') {
    const what = value === null ? 'null' : 'an empty string';
    breaks.push(`$${clip(place, PATH_CHARACTERS_MAX)} is ${what}; leave it out when it is not used`);
  }
  if (typeof value !== 'object') return;
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key];
    if (!Array.isArray(value)) findEmpty(member, `${place}.${clip(key)}`, breaks);
    else if (typeof member === 'object' && member !== null) findEmpty(member, `${place}[${key}]`, breaks);
  }
}
