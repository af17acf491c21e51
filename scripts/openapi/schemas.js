import ts from 'typescript';

/** A name that an answer can have in the document: of a declaration, not of an object that is written where it is used. */
const NAME = /^[A-Z]\w*$/;

/** JSON Schemas of TypeScript types. What has a name is described once, in {@link Schemas.components}. */
export class Schemas {
  components = {};
  #names = new Map();

  constructor(checker) {
    this.checker = checker;
  }

  /** The schema of a type, as JSON carries it: `undefined` is a member that is missing. */
  of(type) {
    if (type.isUnion()) return this.#union(type);
    if (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return {};
    if (type.flags & ts.TypeFlags.Null) return { type: 'null' };
    if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value };
    if (type.flags & ts.TypeFlags.BooleanLiteral)
      return { const: this.checker.typeToString(type) === 'true' };
    if (type.flags & ts.TypeFlags.StringLike) return { type: 'string' };
    if (type.flags & ts.TypeFlags.NumberLike) return { type: 'number' };
    if (type.flags & ts.TypeFlags.NonPrimitive) return { type: 'object' };
    if (this.checker.isArrayType(type)) return { type: 'array', items: this.of(this.#argumentsOf(type)[0]) };
    if (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) return this.#object(type);
    throw new Error(`There is no schema for ${this.checker.typeToString(type)}`);
  }

  /** The members of an object type, each with its schema, with what its docstring says, and whether it must be there. */
  members(type) {
    return this.checker.getPropertiesOfType(type).map((symbol) => {
      const its = this.checker.getTypeOfSymbol(symbol);
      const description = docstringOf(symbol, this.checker);
      const mayBeMissing = symbol.flags & ts.SymbolFlags.Optional || isUndefined(its);
      return {
        name: symbol.name,
        schema: { ...(description && { description }), ...this.of(its) },
        required: !mayBeMissing,
      };
    });
  }

  #union(type) {
    const kinds = type.types.filter((one) => !(one.flags & ts.TypeFlags.Undefined));
    const isNullable = kinds.some(({ flags }) => flags & ts.TypeFlags.Null);
    const values = kinds.filter(({ flags }) => !(flags & ts.TypeFlags.Null));
    const some = this.#oneOf(values);
    if (!isNullable) return some;
    return typeof some.type === 'string' && !some.enum
      ? { ...some, type: [some.type, 'null'] }
      : { anyOf: [some, { type: 'null' }] };
  }

  #oneOf(types) {
    if (types.length === 1) return this.of(types[0]);
    if (types.every(({ flags }) => flags & ts.TypeFlags.BooleanLiteral)) return { type: 'boolean' };
    const strings = types.filter((type) => type.isStringLiteral()).map(({ value }) => value);
    if (strings.length === types.length) return { type: 'string', enum: strings };
    return { anyOf: types.map((type) => this.of(type)) };
  }

  #object(type) {
    const name = this.#nameOf(type);
    if (name === undefined) return this.#described(type);
    if (this.#names.get(name) === undefined) {
      this.#names.set(name, type);
      this.components[name] = {}; // a type may name itself
      const description = docstringOf(type.aliasSymbol ?? type.symbol, this.checker);
      this.components[name] = { ...(description && { description }), ...this.#described(type) };
    } else if (this.#names.get(name) !== type) {
      throw new Error(`Two types of answers have the name ${name}`);
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  #described(type) {
    const values = this.checker.getIndexTypeOfType(type, ts.IndexKind.String);
    if (values) return { type: 'object', additionalProperties: this.of(values) };
    const members = this.members(type);
    const required = members.filter((member) => member.required).map(({ name }) => name);
    return {
      type: 'object',
      ...(required.length > 0 && { required }),
      properties: Object.fromEntries(members.map(({ name, schema }) => [name, schema])),
    };
  }

  /** `PageOfAuditView` for `Page<AuditView>`; none for `Record<…>` and the like, which are how a type is written. */
  #nameOf(type) {
    const { aliasSymbol, symbol } = type;
    const isOwn = (one) => one?.declarations?.some((node) => !node.getSourceFile().hasNoDefaultLib);
    const named = [aliasSymbol, symbol].find((one) => one && NAME.test(one.name) && isOwn(one));
    const parameters = aliasSymbol === named ? type.aliasTypeArguments : this.#argumentsOf(type);
    const given = (parameters ?? []).map((one) => this.#nameOf(one));
    if (!named || given.includes(undefined)) return undefined;
    return [named.name, ...given].join('Of');
  }

  #argumentsOf(type) {
    return type.objectFlags & ts.ObjectFlags.Reference ? this.checker.getTypeArguments(type) : [];
  }
}

/** The docstring of a declaration, with its links as code. */
function docstringOf(symbol, checker) {
  return plain(ts.displayPartsToString(symbol?.getDocumentationComment(checker) ?? []));
}

/** A docstring as Markdown in one paragraph. */
export function plain(text) {
  return text
    .replaceAll(/\{@link (\w+(?:\.\w+)?)\}/g, '`$1`')
    .replaceAll(/\s*\n\s*/g, ' ')
    .trim();
}

function isUndefined(type) {
  return type.isUnion() && type.types.some(({ flags }) => flags & ts.TypeFlags.Undefined);
}
