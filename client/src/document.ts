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
  const members = Object.entries(value).filter(([, member]) => member != null && member !== '');
  return Object.fromEntries(members.map(([name, member]) => [name, withoutEmpty(member)]));
}

/** Strings, comments, names with or without `$`, numbers, and single characters; blanks and commas mean nothing. */
const TOKEN = /"""(?:\\"""|[^])*?"""|"(?:\\.|[^"\\\n])*"|#.*|\$?[A-Z_a-z]\w*|[^\s,]/g;

interface Piece {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** True if it is left out. */
  dropped?: boolean;
}

/**
 * A GraphQL text without the arguments and input fields whose variables have no value, and without the definitions of
 * those variables (interface 4.3, rule 2): a text written once serves every call. A variable that is required, or has a
 * default value, stays.
 */
export function withoutUnused(text: string, variables: object): string {
  const pieces = [...text.matchAll(TOKEN)]
    .map(({ 0: piece, index }): Piece => ({ text: piece, start: index, end: index + piece.length }))
    .filter((piece) => !piece.text.startsWith('#'));
  const definitions = definitionsOf(pieces).filter(
    ({ name, isOptional }) => isOptional && !(name.slice(1) in variables),
  );
  if (definitions.length === 0) return text;
  const unused = new Set(definitions.map(({ name }) => name));
  for (const { from, to } of definitions) drop(pieces, from, to);
  pieces.forEach((piece, at) => {
    const isArgument = pieces[at - 1]?.text === ':' && !piece.dropped && unused.has(piece.text);
    if (isArgument) drop(pieces, at - 2, at + 1);
  });
  dropEmptyParentheses(pieces);
  return cut(text, pieces);
}

interface Definition {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly isOptional: boolean;
}

/** The variable definitions: `$name: Type = value @directive`, up to the next one or the closing parenthesis. */
function definitionsOf(pieces: readonly Piece[]): Definition[] {
  const starts = pieces.flatMap(({ text }, at) =>
    text.startsWith('$') && pieces[at + 1]?.text === ':' ? [at] : [],
  );
  return starts.map((from) => {
    let to = from + 2;
    for (let depth = 0; depth > 0 || !/^[$)]/.test(pieces[to]?.text ?? ')'); to += 1) {
      depth += depthOf(pieces[to]!.text);
    }
    const rest = pieces.slice(from + 2, to).map(({ text }) => text);
    const type = rest.slice(0, rest.findIndex((part) => part === '@') >>> 0);
    return { name: pieces[from]!.text, from, to, isOptional: type.at(-1) !== '!' && !rest.includes('=') };
  });
}

function depthOf(text: string): number {
  if ('([{'.includes(text)) return 1;
  return ')]}'.includes(text) ? -1 : 0;
}

function drop(pieces: readonly Piece[], from: number, to: number): void {
  for (const piece of pieces.slice(from, to)) piece.dropped = true;
}

function dropEmptyParentheses(pieces: readonly Piece[]): void {
  const open: number[] = [];
  pieces.forEach(({ text }, at) => {
    if (text === '(') open.push(at);
    if (text !== ')') return;
    const from = open.pop()!;
    if (pieces.slice(from + 1, at).every((piece) => piece.dropped)) drop(pieces, from, at + 1);
  });
}

function cut(text: string, pieces: readonly Piece[]): string {
  let kept = '';
  let at = 0;
  for (const { start, end, dropped } of pieces) {
    if (!dropped) continue;
    kept += text.slice(at, start);
    at = end;
  }
  return kept + text.slice(at);
}
