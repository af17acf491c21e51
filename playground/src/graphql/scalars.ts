import { GraphQLError, GraphQLScalarType, valueFromASTUntyped, type GraphQLSchema } from 'graphql';

/** Gives the scalars of the SDL their checks: instants become Dates on the way in, addresses must be absolute. */
export function completeScalars(schema: GraphQLSchema): void {
  complete(schema, 'DateTime', readInstant);
  complete(schema, 'WebUrl', readUrl);
}

function complete(schema: GraphQLSchema, name: string, parse: (value: unknown) => unknown): void {
  const type = schema.getType(name);
  if (!(type instanceof GraphQLScalarType)) throw new Error(`The schema has no scalar ${name}`);
  type.parseValue = parse;
  type.parseLiteral = (node, variables) => parse(valueFromASTUntyped(node, variables));
}

function readInstant(value: unknown): Date {
  const isInstant =
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(value);
  const instant = new Date(isInstant ? value : Number.NaN);
  if (Number.isNaN(instant.getTime())) throw new GraphQLError('DateTime is an instant in ISO 8601.');
  return instant;
}

function readUrl(value: unknown): string {
  if (typeof value === 'string' && URL.canParse(value)) return value;
  throw new GraphQLError('WebUrl is an absolute address.');
}
