import type { GraphQLScalarType as ScalarType, GraphQLSchema } from 'graphql';
import { graphql } from '../graphql-packages.js';

const DAY = String.raw`\d{4}-\d\d-\d\d`;
const INSTANT = new RegExp(String.raw`^${DAY}T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$`, 'i');
const HISTORY_DATE = /^\d{4}(-\d\d(-\d\d)?)?$/;

/**
 * Gives the scalars of the SDL their checks. Instants become Dates on the way in, and milliseconds become instants on
 * the way out.
 */
export function completeScalars(schema: GraphQLSchema): void {
  complete(schema, 'DateTime', readInstant);
  const instant = schema.getType('DateTime') as ScalarType;
  instant.serialize = (value) => new Date(value as number).toISOString();
  complete(schema, 'Date', (value) =>
    readText(value, new RegExp(`^${DAY}$`), 'Date is a day, such as 2026-05-27.'),
  );
  complete(schema, 'HistoryDate', (value) =>
    readText(value, HISTORY_DATE, 'HistoryDate is a year, a month or a day.'),
  );
}

function complete(schema: GraphQLSchema, name: string, parse: (value: unknown) => unknown): void {
  const type = schema.getType(name);
  if (!(type instanceof graphql.GraphQLScalarType)) throw new Error(`The schema has no scalar ${name}`);
  type.parseValue = parse;
  type.parseLiteral = (node, variables) => parse(graphql.valueFromASTUntyped(node, variables));
}

function readInstant(value: unknown): Date {
  const instant = new Date(typeof value === 'string' && INSTANT.test(value) ? value : Number.NaN);
  if (Number.isNaN(instant.getTime())) throw new graphql.GraphQLError('DateTime is an instant by RFC 3339.');
  return instant;
}

function readText(value: unknown, pattern: RegExp, requirement: string): string {
  if (typeof value === 'string' && pattern.test(value)) return value;
  throw new graphql.GraphQLError(requirement);
}
