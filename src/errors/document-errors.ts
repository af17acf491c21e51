import { ERROR_CODES } from './error-codes.js';

/** The error page, `docs/errors.md`. */
export function documentErrors(): string {
  return [
    '# Errors',
    '',
    'Generated from `src/errors/error-codes.ts` by `npm run docs`; a test compares the two.',
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
    ...Object.entries(ERROR_CODES).map(
      ([code, row]) => `| \`${code}\` | ${row.status} | \`${row.graphqlCode}\` | ${row.text} |`,
    ),
    '',
  ].join('\n');
}
