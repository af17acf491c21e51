/** What every deployment sets, by where it is from. */
const EVERYBODYS = [
  [
    'a [preset](go-live.md#1-settings) of the upstream',
    ['UPSTREAM_URL', 'ISSUER_TOKEN_URL', 'PARTNER_AUDIENCE', 'EVENTS_SCHEME_ID'],
  ],
  ['your partner account', ['PARTNER_CLIENT_ID', 'PARTNER_CLIENT_SECRET']],
  ['your [identity provider](identity-providers.md)', ['END_USER_ISSUER', 'END_USER_AUDIENCE']],
  ['your frontend', ['CORS_ORIGINS']],
  ['`partner-bff secrets`', ['USER_ID_KEY', 'SEALING_KEY', 'WEBHOOK_SECRETS']],
];

/** `docs/configuration.md`: the table of settings, and the names of those that reload. */
export function settingsPage(settings, reloadable) {
  return [
    '# Configuration',
    '',
    'Generated from `src/config/settings/` by `npm run docs`; CI compares the two.',
    '',
    'Settings are environment variables, read once and validated at start. Every fault is reported in one message, by name',
    'and never by value, and the process exits with code 78; with 69 when a port is taken or the database server does not',
    'answer. Append `_FILE` to a name to read the value from a file, as secret stores mount them. Lists are separated by',
    'commas or spaces. Unknown variables with a familiar prefix cause a warning that suggests the closest setting.',
    '',
    'Without `UPSTREAM_URL` the service starts its own playground and needs no setting at all. It refuses to start one when',
    '`NODE_ENV` is `production` or a setting that only a real deployment has is set: issuer, partner credentials, keys,',
    'issuer or audience of end users, `DATABASE_URL`, `REDIS_URL`, or an `OPS_HOST` other than',
    'loopback.',
    '',
    'A secret marked *reloads* that comes from a file takes its new value within five seconds of a change of the file, or',
    'immediately on SIGHUP; an invalid value is rejected, the log names the setting, and the previous value stays in effect.',
    'SIGHUP also fetches the JWK set of end users.',
    '',
    '## The twelve that everybody sets',
    '',
    '| Variables | From |',
    '|---|---|',
    ...EVERYBODYS.map(([from, names]) => `| ${names.map((name) => `\`${name}\``).join(', ')} | ${from} |`),
    '',
    'Most deployments add `EVENT_SINK_URL` and `EVENT_SINK_SECRET`, for a [back end](back-ends.md); `DATABASE_URL` and',
    '`REDIS_URL`, for replicas; `OPS_HOST` and `OPS_TOKEN`, for an ops listener off loopback; and `TRUST_PROXY`, behind a',
    '[proxy](deploy.md#nginx). Everything else has a default that suits most.',
    '',
    '## All settings',
    '',
    '| Variable | Value | Default | Secret | Meaning |',
    '|---|---|---|---|---|',
    ...Object.entries(settings).map(
      ([name, row]) =>
        `| \`${name}\` | ${cell(row.form)} | ${cell(row.fallbackText)} | ${secrecy(row, reloadable.includes(name))} | ${cell(row.text)} |`,
    ),
    '',
  ].join('\n');
}

/** `docs/errors.md`: the table of codes. */
export function errorsPage(codes) {
  return [
    '# Errors',
    '',
    'Generated from `src/errors/error-codes.ts` by `npm run docs`; CI compares the two.',
    '',
    'Outside `/graphql` a failure is `application/problem+json` (RFC 9457) with the members `type`, `title`, `status`,',
    '`code`, `detail`, `requestId`, and for `invalid_request` the list `errors` of `{field, message}`. On `/graphql` the',
    'same failure is `{"errors": [{"message", "extensions": {"code", "reason", "requestId"}}]}`: `code` is that of the third',
    'column, for clients that know the usual codes of GraphQL, and `reason` that of the first.',
    'Answers of status 429 and 503 carry `Retry-After`, a 401 and `scope_forbidden` carry `WWW-Authenticate`, a 405 carries',
    '`Allow`. Where a limit of requests or browser tokens is used up, `RateLimit-Policy` names it and `RateLimit` says when its',
    'next window begins (draft-ietf-httpapi-ratelimit-headers-10).',
    '',
    '| Code | Status | `code` on `/graphql` | What it says |',
    '|---|---|---|---|',
    ...Object.entries(codes).map(
      ([code, row]) => `| \`${code}\` | ${row.status} | \`${row.graphqlCode}\` | ${row.text} |`,
    ),
    '',
  ].join('\n');
}

function secrecy({ secret }, reloads) {
  return [secret && 'yes', reloads && 'reloads'].filter(Boolean).join(', ');
}

function cell(text) {
  return text.replaceAll('|', '\\|');
}
