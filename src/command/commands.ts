import type { Command } from './command.js';

/** Added to the help of the commands that work on the store. */
const STORE_USAGE = `
They call the running service at its ops listener. If none answers, they open the store that the settings name.

  --host <host>   of the ops listener; default OPS_HOST, then 127.0.0.1
  --port <port>   of the ops listener; default OPS_PORT, then 3001

The ops token comes from OPS_TOKEN, or from the file that OPS_TOKEN_FILE names, never from the command line, which
others can see.
`;

/** Every command, by its name. The code of one is imported when it is run, so that help loads none. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  start: {
    summary: 'start the service (default)',
    load: async () => (await import('./start.js')).start,
    usage: `Starts the service. "partner-bff" without a command does the same.

  partner-bff start

Settings are environment variables (docs/configuration.md). Without UPSTREAM_URL the service starts its own playground.
Exit code 78 means that a setting is wrong, 69 that something cannot be reached.
`,
  },
  check: {
    summary: 'validate the settings and print those that are set',
    load: async () => (await import('./check.js')).check,
    usage: `Reads the settings as the service does, and prints those that are set or differ from their defaults.

  partner-bff check [--all] [--json]

  --all   prints every setting

Secrets are printed as "set". Nothing is started, called or written. Exit code 0, or 78 with every fault, including those
of registered operations.
`,
  },
  doctor: {
    summary: 'test everything that the service depends on',
    load: async () => (await import('./doctor/doctor.js')).doctor,
    usage: `Tests everything that the service depends on, and says what to do.

  partner-bff doctor [--json]

Prints a line for each: ok, warn or fail, what was seen, and what to do. Covers issuer, token endpoint, GraphQL, end-user
keys, membership service, database, Redis, sink, clocks, registered operations against the upstream's schema, webhook
subscriptions, and each condition that a running service reports. It connects to the sink but sends nothing. Exit code 0,
or 1 with any fail.
`,
  },
  memberships: {
    summary: 'who belongs to which hirer',
    load: async () => (await import('./memberships.js')).memberships,
    usage: `Memberships of end users.

  partner-bff memberships list [--user <sub>] [--hirer <id>] [--json]
  partner-bff memberships add <sub> <hirer id> [--role <role>]...
  partner-bff memberships remove <sub> <hirer id>
  partner-bff memberships import <file.csv> [--replace] [--dry-run]

<sub> is the "sub" of the user's token, and <hirer id> a whole object identifier, such as scheme:organization:part:id.
Without --role the role is "member". New roles replace the previous ones. remove exits with 1 if there is no such
membership.

A CSV file has the header user,hirerId,roles and a row for each membership, with roles separated by spaces. Nothing is
imported from a file with a fault. --replace removes memberships that are not in the file. --dry-run changes nothing.

  --issuer <iss>  the users' issuer, if END_USER_ISSUER names several; default the first
${STORE_USAGE}`,
  },
  operations: {
    summary: 'check registered operations against a schema',
    load: async () => (await import('./operations.js')).operations,
    usage: `Checks registered operations against a GraphQL schema.

  partner-bff operations check [--schema <file or address>] [--operations <folders>]

check prints each fault of a registered operation or of one of the service's own queries, and each use of something that
the schema deprecates. It exits with 0 without faults, 1 with faults, and 2 if it could not check.

  --schema      a file with SDL or an introspection result as JSON, or the address of a GraphQL endpoint, which is asked
                without a token; default the endpoint of UPSTREAM_URL, with the service's credentials
  --operations  folders, as in OPERATIONS_DIR; default those of OPERATIONS_DIR

In a clone, "npm run operations -- types [--out <file>]" writes TypeScript documents of the same operations, with the
same options. Without --out it prints them.
`,
  },
  subscriptions: {
    summary: 'manage webhook subscriptions at the upstream',
    load: async () => (await import('./subscriptions/subscriptions.js')).subscriptions,
    usage: `Manages the webhook subscriptions at the upstream, which say where it sends which events.

  partner-bff subscriptions list     [choice]
  partner-bff subscriptions ensure   --url <url> --types <types> [--hirer <id>] [--from <url>] [--dry-run]
  partner-bff subscriptions rotate   [choice] [--force] [--dry-run]
  partner-bff subscriptions replay   [choice] --since <time> [--until <time>] [--delivered] [--dry-run]
  partner-bff subscriptions replay   [choice] --event <id>... [--dry-run]
  partner-bff subscriptions requests [choice] [--since <time>] [--until <time>]

ensure creates the subscriptions that are missing, so that events of these types reach the URL, signed with the first of
WEBHOOK_SECRETS. It signs those that are unsigned, and changes nothing else. Separate types by commas; "all" means the
documented ones. With --hirer the subscriptions are for that hirer, otherwise for every related one. --from moves the
subscriptions of another URL.

rotate makes the upstream sign with the first of WEBHOOK_SECRETS. It takes up to 30 minutes, so list the previous secret
second, here and at the service.

replay makes the upstream deliver undelivered events again, or with --delivered all of them. --delivered needs --hirer if
a subscription is for every hirer. It goes back 90 days, and takes at most 100 event ids.

requests compares what the upstream sent, and the status it got, with what the service received (from its ops listener:
OPS_HOST, OPS_PORT, OPS_TOKEN), by default in the last 24 hours. It exits with 1 if an event was never received.

--dry-run changes nothing, and prints what would be done.

A choice is any of --url <url>, --types <types>, --hirer <id> and --subscription <id>; default all subscriptions.

  --scheme <id>   the scheme of the subscriptions; default EVENTS_SCHEME_ID
`,
  },
  events: {
    summary: 'list, show and redeliver stored events',
    load: async () => (await import('./events.js')).events,
    usage: `Lists, shows and redelivers stored events.

  partner-bff events list [--state <state>] [--type <type>] [--hirer <id>] [--since <time>] [--until <time>] [--limit <n>] [--json]
  partner-bff events show <event id>
  partner-bff events redeliver <event id>... [--as-new] [--sink <name>] [--json]
  partner-bff events redeliver [--state <state>] [--type <type>] [--hirer <id>] [--since <time>] [--until <time>] [--sink <name>] [--as-new] [--dry-run] [--json]

list prints the latest first, 100 unless --limit says otherwise: time received, state, type, id, hirer, attempts, last
failure.

show prints one event as JSON, with its payload and the latest delivery attempts. This is audited.

redeliver queues events for delivery. Each is queued once, even if you repeat the command. If no service runs, the next
one on this store delivers them. --as-new uses a new webhook-id, so that a receiver that drops repeats processes them
again. Without an event id, give at least one filter. --sink redelivers to one of several sinks. Times are ISO 8601.
${STORE_USAGE}`,
  },
  users: {
    summary: 'export or erase what is kept of an end user',
    load: async () => (await import('./users.js')).users,
    usage: `Exports or erases what the service keeps of an end user.

  partner-bff users export <sub> [--issuer <iss>]
  partner-bff users erase <sub> [--issuer <iss>] [--json]

<sub> is the "sub" of the user's token. --issuer defaults to the first of END_USER_ISSUER.

export prints memberships and audit records as JSON. erase removes memberships, limits and cached tokens on every replica
and takes the pseudonym out of the audit records. It is audited. First stop the identity provider from signing the user
in. docs/data-protection.md says what is kept, and what cannot be erased.
${STORE_USAGE}`,
  },
  backup: {
    summary: 'back up the embedded database',
    load: async () => (await import('./backup.js')).backup,
    usage: `Copies the embedded database, as it is at one moment, to a new file.

  partner-bff backup <file>

The service keeps running, and answers meanwhile. An existing file is not replaced.
docs/operate.md says how to restore it. With PostgreSQL, use pg_dump.
${STORE_USAGE}`,
  },
  storage: {
    summary: 'copy the embedded database to PostgreSQL',
    load: async () => (await import('./storage.js')).storage,
    usage: `Copies the embedded database to PostgreSQL.

  partner-bff storage copy [--from <folder>]

Stop the service first. The source is DATA_DIR or --from, and is not changed. The target is the empty database that
DATABASE_URL or DATABASE_URL_FILE names. Everything is copied in one transaction, or nothing.
docs/operate.md says how to switch.
`,
  },
  secrets: {
    summary: 'generate the secrets that you choose yourself',
    load: async () => (await import('./secrets.js')).secrets,
    usage: `Generates every secret that you choose yourself, as NAME=value.

  partner-bff secrets

They are random and not kept, so put them into your secret store. Never change USER_ID_KEY afterwards.
`,
  },
  playground: {
    summary: 'start the service with its playground',
    load: async () => (await import('./start.js')).playground,
    usage: `Starts the service with its playground, an emulator of upstream and issuer, and a demo page.

  partner-bff playground

It needs the package partner-bff-playground, but no account or setting. Do not use it in production.
`,
  },
};
