/** The four parties, in the order of their columns. */
export const PARTIES = [
  { name: 'Browser', role: 'the partner’s page' },
  { name: 'BFF', role: 'this service' },
  { name: 'Issuer', role: 'knows the partner' },
  { name: 'Upstream', role: 'owns the data' },
];
const [BROWSER, BFF, ISSUER, UPSTREAM] = [0, 1, 2, 3];

/** What the BFF checks before it looks into its cache, in this order, and the refusal that tells each failed. */
const CHECKS = [
  { text: 'Is the user’s token genuine and in date?', code: 'unauthenticated' },
  { text: 'Does the request have the right shape?', code: 'invalid_request' },
  { text: 'Does the user belong to the hirer?', code: 'hirer_forbidden' },
  { text: 'Are the scopes open to the user’s role?', code: 'scope_forbidden' },
  { text: 'Is the rate limit kept?', code: 'rate_limited' },
];

/**
 * An exchange as the steps of a sequence. A `call` and a `reply` go from one party to another, a `note` stays with one.
 * `tone` is `good`, `cache` or `bad`.
 */
export function stepsOf(exchange) {
  return [
    signInStep(exchange),
    askStep(exchange),
    checksStep(exchange),
    ...cacheAndCalls(exchange),
    replyStep(exchange),
  ];
}

/** How an exchange goes when nothing is kept from before, for whoever has not started one. */
export const OUTLINE = [
  { kind: 'call', from: BROWSER, to: ISSUER, title: 'Sign in', detail: 'here at the demo identity provider' },
  { kind: 'call', from: BROWSER, to: BFF, title: 'Ask for a token', detail: 'as that user' },
  { kind: 'note', at: BFF, title: 'May this user have it?', lines: ['If not, no call is made.'] },
  { kind: 'call', from: BFF, to: ISSUER, title: 'Partner token', detail: 'unless in memory' },
  {
    kind: 'call',
    from: BFF,
    to: UPSTREAM,
    title: 'Browser token',
    detail: 'for this user, hirer and scopes; kept for next time',
  },
  { kind: 'reply', from: BFF, to: BROWSER, title: 'Browser token' },
  {
    kind: 'call',
    from: BROWSER,
    to: UPSTREAM,
    title: 'Queries',
    detail: 'with the browser token, past the BFF',
  },
];

/** A query the browser made with its token. */
export function useStep(operation, answer) {
  const code = answer.body?.errors?.[0]?.extensions?.code;
  return {
    kind: 'call',
    from: BROWSER,
    to: UPSTREAM,
    title: `POST /graphql · ${operation.name}`,
    detail: 'with the browser token',
    outcome: code ? `${answer.status} ${code}` : String(answer.status),
    tone: code ? 'bad' : 'good',
    durationMs: answer.durationMs,
    requestId: answer.requestId,
  };
}

function signInStep({ user, signIn, signedInBefore }) {
  if (signedInBefore) {
    return {
      kind: 'note',
      at: BROWSER,
      tone: 'cache',
      title: 'Still signed in',
      lines: ['The page kept the user’s token.'],
    };
  }
  return {
    kind: 'call',
    from: BROWSER,
    to: ISSUER,
    title: `Sign in as ${user.name}`,
    detail: 'at the demo identity provider',
    outcome: String(signIn.status),
    tone: 'good',
    durationMs: signIn.durationMs,
    requestId: signIn.requestId,
  };
}

function askStep({ answer }) {
  return {
    kind: 'call',
    from: BROWSER,
    to: BFF,
    title: 'POST /auth/token',
    detail: 'with the user’s token',
    requestId: answer.requestId,
  };
}

function checksStep({ answer }) {
  const failed = CHECKS.findIndex(({ code }) => code === answer.body.code);
  const stateOf = (index) =>
    failed === -1 || index < failed ? 'passed' : index === failed ? 'failed' : 'skipped';
  return {
    kind: 'note',
    at: BFF,
    tone: failed === -1 ? 'good' : 'bad',
    title: 'The BFF checks',
    checks: CHECKS.map(({ text }, index) => ({ text, state: stateOf(index) })),
  };
}

function cacheAndCalls({ answer, bffCalls }) {
  if (bffCalls.length === 0) return [answer.status === 200 ? cachedToken() : noCall()];
  const [first] = bffCalls;
  const partnerTokenKept = first.route === 'auth-token';
  return [...(partnerTokenKept ? [keptPartnerToken()] : []), ...bffCalls.map(bffCallStep)];
}

function cachedToken() {
  return {
    kind: 'note',
    at: BFF,
    tone: 'cache',
    title: 'Browser token: from the cache',
    lines: ['No call to issuer or upstream.'],
  };
}

function keptPartnerToken() {
  return {
    kind: 'note',
    at: BFF,
    tone: 'cache',
    title: 'Partner token: in memory',
    lines: ['No call to the issuer.'],
  };
}

function noCall() {
  return { kind: 'note', at: BFF, tone: 'bad', title: 'Refused', lines: ['No call was made.'] };
}

function bffCallStep({ route, method, path, status, durationMs, requestId }) {
  const toIssuer = route === 'oauth-token';
  return {
    kind: 'call',
    from: BFF,
    to: toIssuer ? ISSUER : UPSTREAM,
    title: `${method} ${path}`,
    detail: toIssuer ? 'for a partner token' : 'with the partner token',
    outcome: status === null ? 'no answer' : String(status),
    tone: status === 200 ? 'good' : 'bad',
    durationMs,
    requestId,
  };
}

function replyStep({ answer }) {
  const granted = answer.status === 200;
  return {
    kind: 'reply',
    from: BFF,
    to: BROWSER,
    title: granted ? 'A browser token' : answer.body.title,
    outcome: granted ? '200' : `${answer.status} ${answer.body.code}`,
    tone: granted ? 'good' : 'bad',
    durationMs: answer.durationMs,
    requestId: answer.requestId,
  };
}
