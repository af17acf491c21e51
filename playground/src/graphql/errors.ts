import type { GraphQLError } from 'graphql';
import { graphql } from './graphql-packages.js';

/** Codes a real upstream is known to use (interface 12); NOT_FOUND is on a switch. */
export type GraphqlErrorCode = 'UNAUTHENTICATED' | 'FORBIDDEN' | 'BAD_USER_INPUT' | 'NOT_FOUND';

/** An error of one field, with its `extensions.code`. `field` is the path of the argument at fault, if one is. */
export function graphqlError(code: GraphqlErrorCode, message: string, field?: string): GraphQLError {
  return new graphql.GraphQLError(message, { extensions: field === undefined ? { code } : { code, field } });
}

/** `BAD_USER_INPUT` for one argument: `invalid('input.title', 'must not be blank')`. */
export function invalid(field: string, requirement: string): GraphQLError {
  return graphqlError('BAD_USER_INPUT', `${field} ${requirement}.`, field);
}
