/** A fault in something to seed: the message says what is wrong and what to do. */
export class SeedError extends RangeError {
  constructor(method: string, what: string) {
    super(`seed.${method}: ${what}`);
  }
}

/** The part of JSON Schema that members of seeds are described by. */
interface Schema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
}

/** Throws unless a wish has the members of the schemas: tests in JavaScript have no compiler that finds a misspelt one. */
export function requireMembers(
  method: string,
  wish: object | undefined,
  schemas: Readonly<Record<string, Schema>>,
  required: readonly string[],
): void {
  const known = Object.keys(schemas);
  const names = `${known.slice(0, -1).join(', ')} and ${String(known.at(-1))}`;
  if (typeof wish !== 'object') throw new SeedError(method, `pass an object with ${names}.`);
  const unknown = Object.keys(wish).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new SeedError(method, `there is no ${unknown}; the members are ${names}.`);
  for (const [name, schema] of Object.entries(schemas)) {
    const value = (wish as Readonly<Record<string, unknown>>)[name];
    const fault = value === undefined && !required.includes(name) ? undefined : faultOf(value, schema);
    if (fault !== undefined) throw new SeedError(method, `${name} ${fault}`);
  }
}

function faultOf(value: unknown, { type, enum: words, items = {} }: Schema): string | undefined {
  if (words !== undefined) {
    return words.includes(value as string)
      ? undefined
      : `has no ${String(value)}; choose from ${words.join(', ')}.`;
  }
  if (type === 'array') {
    if (!Array.isArray(value)) return 'is a list; pass [] for none.';
    return value.map((item) => faultOf(item, items)).find((fault) => fault !== undefined);
  }
  const isBlank = type === 'string' && (typeof value !== 'string' || value.trim() === '');
  return isBlank ? 'is missing or blank; give it a text.' : undefined;
}
