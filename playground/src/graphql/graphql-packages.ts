import { createRequire } from 'node:module';
import type * as Graphql from 'graphql';
import type * as Yoga from 'graphql-yoga';

/**
 * The packages of GraphQL, each loaded by `require`. `graphql` is published in two builds, whose schemas do not work
 * with each other, and which of them an `import` gets depends on the test runner or bundler: Vitest gives a linked
 * package another one than `graphql-yoga`. `require` gives all of them the same.
 */
const require = createRequire(import.meta.url);

/** The part of `graphql` that the playground uses. */
export const {
  buildSchema,
  defaultFieldResolver,
  getNamedType,
  getOperationAST,
  GraphQLError,
  GraphQLScalarType,
  isAbstractType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isUnionType,
  Kind,
  parse,
  print,
  valueFromASTUntyped,
  visit,
} = require('graphql') as typeof Graphql;
/** Class and type share a name, as in the package. */
export type GraphQLError = Graphql.GraphQLError;
export type { GraphQLCompositeType } from 'graphql';

/** The GraphQL endpoint. */
export const { createYoga } = require('graphql-yoga') as typeof Yoga;
