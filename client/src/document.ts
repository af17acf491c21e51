/**
 * A GraphQL text with the types of its answer and variables. `TypedDocumentNode`, and the `TypedDocumentString` that
 * GraphQL Code Generator makes, are of this form.
 */
export type TypedText<Data, Variables> = object & {
  /** Carries the types; never set. */
  __apiType?(variables: Variables): Data;
};

/** A GraphQL text: as it is written, or typed. */
export type GraphqlText<Data, Variables> = string | TypedText<Data, Variables>;

/**
 * The name of the registered operation that a generated document stands for (`npm run operations -- types` of the
 * service); undefined for any other text.
 */
export function documentIdOf(document: string | object | undefined): string | undefined {
  return (document as { documentId?: string } | undefined)?.documentId;
}

/**
 * The text of a document.
 * @throws TypeError for a document without its source, as other code generators write it
 */
export function textOf(document: string | object): string {
  if (typeof document === 'string') return document;
  if (document instanceof String) return document.toString();
  const source = (document as { loc?: { source?: { body?: string } } }).loc?.source?.body;
  if (source !== undefined) return source;
  throw new TypeError('A document without documentId: npm run operations -- types');
}

/** Variables without what has no value: members that are undefined, null or an empty text (interface 4.3, rule 2). */
export function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  if ('toJSON' in value) return value; // a Date, say, which JSON writes as a text
  const members = Object.entries(value).filter(([, member]) => member != null && member !== '');
  return Object.fromEntries(members.map(([name, member]) => [name, withoutEmpty(member)]));
}

/** Strings and comments, which are left as they are. */
const QUOTED = String.raw`("""(?:\\"""|[^])*?"""|"(?:\\.|[^"\\\n])*"|#.*)`;
const DEFINITION = /\$(\w+)\s*:/g;
const EMPTY_PARENTHESES = new RegExp(String.raw`${QUOTED}|\((?:[\s,]|#.*)*\)`, 'g');

/**
 * A GraphQL text without the arguments and input fields whose variables have no value, and without the definitions of
 * those variables (interface 4.3, rule 2): a text written once serves every call. A variable stays that is required, has
 * a default value or a directive, or stands anywhere else.
 */
export function withoutUnused(text: string, variables: object): string {
  let shorter = text;
  for (const [, name] of text.matchAll(DEFINITION)) {
    if (name! in variables) continue;
    const definition = String.raw`\$${name}\s*:\s*(?:\w+|\[[\w!\s[\]]+\])(?=[\s,]*[$)])`;
    const use = new RegExp(String.raw`${QUOTED}|${definition}|\b\w+\s*:\s*\$${name}\b`, 'g');
    const without = shorter.replace(use, (_, quoted?: string) => quoted ?? '');
    if (!new RegExp(String.raw`\$${name}\b`).test(without)) shorter = without;
  }
  return shorter === text ? text : shorter.replace(EMPTY_PARENTHESES, (_, quoted?: string) => quoted ?? '');
}
