/** @import { Hirer, User } from '../sign-in.mjs' */

/**
 * Explains a refusal to someone who sees it for the first time.
 * @param {{code: string, detail?: string}} problem
 * @param {{user: User, hirer: Hirer}} request
 */
export function explainProblem(problem, { user, hirer }) {
  const explain = PROBLEMS[problem.code];
  return explain ? explain(user, hirer) : (problem.detail ?? 'The BFF could not serve this request.');
}

/** @type {Record<string, (user: User, hirer: Hirer) => string>} */
const PROBLEMS = {
  unauthenticated: () =>
    'The BFF does not accept this end-user token. It may have expired, the playground may have been restarted with new keys, or this service may be configured with your own keys. “Get a token” signs in again.',
  hirer_forbidden: (user, hirer) =>
    hirer.missing
      ? 'There is no such hirer. The answer is the same as for a hirer the user does not belong to, so that it does not reveal which hirers exist.'
      : `${user.name} does not belong to ${hirer.name}. The answer is the same as for a hirer that does not exist, so that it does not reveal which hirers exist.`,
  scope_forbidden: () =>
    'The user belongs to the hirer, but the user’s role may not request this scope (ALLOWED_SCOPES). A token should allow no more than the page needs.',
};

/**
 * Explains a GraphQL error of the upstream to the user of the token.
 * @param {string | undefined} code
 * @param {{scope: string}} operation
 * @param {string[]} scopes those of the token
 */
export function explainGraphqlCode(code, operation, scopes) {
  switch (code) {
    case 'FORBIDDEN':
      if (scopes.includes(operation.scope)) {
        return 'The token has the scope, but the object belongs to another hirer. A browser token is limited to one hirer.';
      }
      return `The token lacks the scope ${operation.scope}, so the upstream refuses. The BFF is not involved: the token itself limits the browser.`;
    case 'UNAUTHENTICATED':
      return 'The upstream does not accept this token, most likely because it has expired. Get another one from the BFF.';
    default:
      return 'The upstream answered with an error of its own.';
  }
}
