import { print } from 'graphql';
import { format } from 'prettier';

/** The pages that `npm run docs` writes from tables of the service. */

const generatedFrom = (source) => `Generated from \`${source}\` by \`npm run docs\`. CI compares the two.`;

const cell = (text) => text.replaceAll('|', '\\|');

function table(head, rows) {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

/** `docs/errors.md`: what callers and operators read of each failure, and why tokens are refused. */
export function errorsPage({ ERROR_CODES, TOKEN_FAULTS }) {
  return [
    '# Errors',
    '',
    generatedFrom('src/errors/error-codes.ts'),
    '',
    'Outside `/graphql` a failure is `application/problem+json` (RFC 9457) with `type`, `title`, `status`, `code`, `detail` and `requestId`. `invalid_request` also has `errors`, a list of `{field, message}`. On `/graphql` the same failure is `{"errors": [{"message", "extensions": {"code", "reason", "requestId"}}]}`: `reason` is the code of the first column, and `code` that of the third, which GraphQL clients know. An error that the upstream itself returned keeps its status, usually 200, and has `extensions.code` only. A request that could not be read (408, 431, or HTTP with a fault) gets the problem document on `/graphql` too.',
    '',
    '429 and 503 carry `Retry-After`, a 401 and `scope_forbidden` carry `WWW-Authenticate`, a 405 carries `Allow`.',
    '',
    'If you operate the service, search the audit trail and the log for the `X-Request-Id` of one response first.',
    '',
    ...table(
      ['Code', 'Status', '`code` on `/graphql`', 'What it says', 'If you operate the service'],
      Object.entries(ERROR_CODES).map(([code, { status, graphqlCode, text, operator }]) => [
        `\`${code}\``,
        status,
        `\`${graphqlCode}\``,
        cell(text),
        cell(operator),
      ]),
    ),
    '',
    '## Why a token is refused',
    '',
    'The response does not say why. The log line and the audit record, which `GET /hirers` does not leave, have the `reason`, and `kid` and `alg` as the token claims them, unverified. The token itself is recorded nowhere. On the ops listener, `unauthenticated` means that the ops token is missing or wrong.',
    '',
    ...table(
      ['`reason`', 'What is wrong with the token'],
      Object.entries(TOKEN_FAULTS).map(([reason, meaning]) => [`\`${reason}\``, cell(meaning)]),
    ),
    '',
  ].join('\n');
}

/** `docs/metrics.md`. */
export function metricsPage(metrics) {
  const own = metrics.filter(({ name }) => name.startsWith('bff_'));
  return [
    '# Metrics',
    '',
    'Generated from the metrics that the service registers by `npm run docs`. CI compares the two.',
    '',
    '`GET /metrics` on the ops listener. Label values come from fixed sets. Users, hirers and requests never create series. With several sinks, the metrics of deliveries and backlog have the label `sink` too.',
    '',
    ...table(
      ['Metric', 'Labels', 'What it is'],
      own
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .map(({ name, labelNames, help }) => [
          `\`${name}\``,
          labelNames.map((label) => `\`${label}\``).join(', '),
          cell(help),
        ]),
    ),
    '',
    'The metrics `process_*` and `nodejs_*` are those of prom-client. `nodejs_eventloop_lag_*` are of the time since the last scrape.',
    '',
  ].join('\n');
}

/**
 * `docs/operations.md`.
 * @param shipped compiled operations
 * @param textOf the text of an operation's file
 */
export function operationsPage(shipped, textOf) {
  return [
    '# Shipped operations',
    '',
    generatedFrom('operations/'),
    '',
    "Call these by name ([GraphQL](graphql.md)). The variables are those that you send. The service sets the others to the hirer of the request. All operations are valid in the upstream's public schema and use nothing deprecated. Callers can name no object whose hirer is not checked. [Registered operations](registered-operations.md) explains how to add your own.",
    '',
    ...table(
      ['Operation', 'Token', 'What it does', 'Variables'],
      shipped
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .map((operation) => operationRow(operation, textOf(operation))),
    ),
    '',
  ].join('\n');
}

function operationRow({ name, token, roles, bindings, variables }, text) {
  const about = /^(?:#.*\n)+/
    .exec(text)[0]
    .replaceAll(/\n?# ?/g, ' ')
    .trim();
  const [, scope] = /Needs the scope ([\w:-]+)/.exec(about) ?? [];
  const set = bindings.filter(({ kind }) => kind === 'variable').map(({ variable }) => variable.join('.'));
  const sent = [...variables].filter(([variable]) => !set.includes(variable));
  return [
    `\`${name}\``,
    [token, scope && `\`${scope}\``, roles && `role \`${roles.join('`, `')}\``].filter(Boolean).join(', '),
    cell(about.replace(/ Needs the scope \S+/, '')),
    sent.map(([variable, { type }]) => `\`${variable}: ${print(type)}\``).join(', '),
  ];
}

/** `docs/deliveries.md`, from a delivery of each form. */
export async function deliveriesPage(examples) {
  const sections = examples.map(async (example) => [
    `## ${example.type}`,
    '',
    '```json',
    (await format(JSON.stringify(example), { parser: 'json', printWidth: 110 })).trimEnd(),
    '```',
    '',
  ]);
  return [
    '# Deliveries',
    '',
    'Generated from deliveries to the playground by `npm run docs`. CI compares the two.',
    '',
    'What your back end receives for each type of event, with made-up data and fixed times. `PositionProfileUpdated` and `PositionProfileClosed` look like `PositionProfilePosted`. [Back ends](back-ends.md) explains the properties.',
    '',
    ...(await Promise.all(sections)).flat(),
  ].join('\n');
}

/** The table of conditions in `docs/runbook.md`. */
export function conditionsTable(conditions) {
  return table(
    ['Condition', 'Severity', 'Culprit', 'What is wrong', 'What to do first'],
    Object.entries(conditions).map(([name, { severity, culprit, summary, action }]) => [
      `[${name}](#${name})`,
      severity,
      culprit,
      cell(summary),
      cell(action),
    ]),
  );
}

const ROUTE = /\/\*\*\s+(?:\* )?((?:`[^`]+` ?)+): ([^]*?)\s*(?:\*\/|\n\s*\*\n|\n\s*\* @)/g;

/** The routes in `docs/ops.md`, from the comments of the ops controllers; the dashboard's own aside. */
export function routesTable(sources) {
  const line = (text) => text.replaceAll(/\s*\n\s*\* /g, ' ');
  const rows = sources
    .flatMap((source) => [...source.matchAll(ROUTE)])
    .map(([, route, about]) => [line(route), cell(line(about))])
    .filter(([route]) => /^`[A-Z]+ \//.test(route) && !route.includes(' /dashboard/'));
  const place = ([route]) => route.split(/[ ?`]+/)[2];
  return table(
    ['Route', 'What it does'],
    rows.toSorted((a, b) => (place(a) < place(b) ? -1 : 1)),
  );
}

/** A page with new lines between its marks `generated` and `end`. */
export function withGenerated(page, lines) {
  return page.replace(/(?<=<!-- generated[^>]*-->\n)[^]*?(?=<!-- end -->)/, `\n${lines.join('\n')}\n\n`);
}

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

/** `docs/configuration.md`, from the settings of each area. */
export function settingsPage(areas, reloadable) {
  const secrecy = (name, secret) =>
    [secret && 'yes', reloadable.includes(name) && 'reloads'].filter(Boolean).join(', ');
  const rowOf = ([name, { form, fallbackText, secret, text }]) => [
    `\`${name}\``,
    cell(form),
    cell(fallbackText),
    secrecy(name, secret),
    cell(text),
  ];
  const area = ([title, settings]) => [
    `### ${title}`,
    '',
    ...table(['Variable', 'Value', 'Default', 'Secret', 'Meaning'], Object.entries(settings).map(rowOf)),
    '',
  ];
  return [
    '# Configuration',
    '',
    generatedFrom('src/config/settings/'),
    '',
    'Settings are environment variables, read and validated at the start. An invalid one ends the process with code 78 and one message that names every fault, and never a value. Append `_FILE` to a name to read the value from a file. Lists are separated by commas or spaces. An unknown variable with a familiar prefix causes a warning, with the setting whose name is near.',
    '',
    'Without `UPSTREAM_URL` the service starts its own playground and needs no setting at all. It refuses to do so if `NODE_ENV` is `production`, or if a setting that only a real deployment has is set: issuer, partner credentials, keys, issuer or audience of end users, `DATABASE_URL`, `REDIS_URL`, or an `OPS_HOST` other than loopback.',
    '',
    'A secret marked _reloads_ that comes from a file takes its new value within five seconds of a change, or immediately on SIGHUP. An invalid value is rejected, the log names the setting, and the previous value stays in effect.',
    '',
    '## The twelve that everybody sets',
    '',
    ...table(
      ['Variables', 'From'],
      EVERYBODYS.map(([from, names]) => [names.map((name) => `\`${name}\``).join(', '), from]),
    ),
    '',
    'Most deployments add `EVENT_SINK_URL` and `EVENT_SINK_SECRET` for a [back end](back-ends.md), `DATABASE_URL` and `REDIS_URL` for replicas, `OPS_HOST` and `OPS_TOKEN` for an ops listener off loopback, and `TRUST_PROXY` behind a [proxy](deploy.md#nginx).',
    '',
    '## All settings',
    '',
    ...Object.entries(areas).flatMap(area),
  ].join('\n');
}
