import { GraphQLError } from 'graphql';

/** Codes a real upstream is known to use (facts 3); NOT_FOUND is on a switch. */
export type GraphqlErrorCode = 'UNAUTHENTICATED' | 'FORBIDDEN' | 'BAD_USER_INPUT' | 'NOT_FOUND';

/** An error of one field, with its `extensions.code`. */
export function graphqlError(code: GraphqlErrorCode, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code } });
}
