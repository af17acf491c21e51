import { GraphQLError } from 'graphql';

/** Codes a real upstream is known to use (facts 3). */
export type GraphqlErrorCode = 'UNAUTHENTICATED' | 'FORBIDDEN' | 'BAD_USER_INPUT' | 'RATE_LIMITED';

/** An error of one field, told by `extensions.code`. */
export function graphqlError(code: GraphqlErrorCode, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code } });
}
