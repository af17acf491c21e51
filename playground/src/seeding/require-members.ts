/** A fault in something to seed: the message says what is wrong and what to do. */
export class SeedError extends RangeError {
  constructor(method: string, what: string) {
    super(`seed.${method}: ${what}`);
  }
}

/** Tests in JavaScript have no compiler that finds a misspelt member. */
export function requireMembers(method: string, wish: unknown, known: readonly string[]): void {
  const names = `${known.slice(0, -1).join(', ')} and ${String(known.at(-1))}`;
  if (typeof wish !== 'object' || wish === null) throw new SeedError(method, `pass an object with ${names}.`);
  const unknown = Object.keys(wish).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new SeedError(method, `there is no ${unknown}; the members are ${names}.`);
}

/** Throws unless a member is text that is not blank. */
export function requireText(method: string, name: string, value: unknown): void {
  if (typeof value === 'string' && value.trim() !== '') return;
  throw new SeedError(method, `${name} is missing or blank; give it a text.`);
}

/** Throws unless a member is left out or one of a few words. */
export function requireOneOf(
  method: string,
  name: string,
  value: string | undefined,
  known: readonly string[],
): void {
  if (value === undefined || known.includes(value)) return;
  throw new SeedError(method, `${name} has no ${value}; choose from ${known.join(', ')}.`);
}

/** Throws unless a member is a list. */
export function requireList(method: string, name: string, value: unknown): void {
  if (!Array.isArray(value)) throw new SeedError(method, `${name} is a list; pass [] for none.`);
}
