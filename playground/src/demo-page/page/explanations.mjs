/** Why the BFF refused, in words for someone who sees it for the first time. By the `code` of the problem. */
export function explainProblem(problem, { user, hirer }) {
  const explain = PROBLEMS[problem.code];
  return explain
    ? explain(user, hirer)
    : 'The BFF could not serve this request. The detail says what to do; the request id finds it in the log.';
}

const PROBLEMS = {
  invalid_request: () =>
    'The body does not have the documented shape. Every fault is listed at once, and nothing was looked up or called.',
  unauthenticated: () =>
    'The BFF does not accept this end-user token. It may have expired, the playground was restarted and has new keys, or this service is set to keys of your own. “Get a token” signs in afresh.',
  hirer_forbidden: (user, hirer) =>
    hirer.missing
      ? 'There is no such hirer. The answer is the same as for a hirer the user does not belong to, so nobody can find out which hirers exist.'
      : `${user.name} does not belong to ${hirer.name}. The answer is the same as for a hirer that does not exist, so nobody can find out which hirers there are.`,
  scope_forbidden: () =>
    'The user belongs to the hirer, but this scope is not on the list of what the role may ask for (ALLOWED_SCOPES). A token should open no more than the page needs.',
  rate_limited: () =>
    'The limit protects the upstream: 30 new tokens a minute for one user and hirer. Tokens from the cache do not count. Wait and ask again.',
  hirer_not_connected: () => 'The upstream knows of no relationship between the partner and this hirer.',
  upstream_error: () =>
    'The upstream answered with something that is no token. The BFF keeps its text to itself.',
  upstream_timeout: () => 'The upstream did not answer in time. The BFF waits no longer than its deadline.',
  unavailable: () =>
    'There is no partner token to be had, so the BFF makes no call at all and says when to try again.',
};

/** What a GraphQL error of the upstream means for the browser that holds the token. */
export function explainGraphqlCode(code, operation, scopes) {
  switch (code) {
    case 'FORBIDDEN':
      if (scopes.includes(operation.scope))
        return 'The token has the scope, but the object belongs to another hirer. A browser token opens one hirer only.';
      return `The token lacks the scope ${operation.scope}, so the upstream refuses. The BFF had no part in it: the token itself confines the browser.`;
    case 'UNAUTHENTICATED':
      return 'The upstream does not accept this token, most likely because it has expired. Ask the BFF for another one.';
    default:
      return 'The upstream answered with an error of its own.';
  }
}
