import type { Command } from './command.js';

/** Added to the help of the commands that work on the store. */
const STORE_USAGE = `
They ask the running service, by its ops listener; where none answers, they open the store by the settings of the service.

  --host <host>   ops listener, else OPS_HOST, else 127.0.0.1
  --port <port>   ops listener, else OPS_PORT, else 3001

The ops token is read from OPS_TOKEN, or from the file OPS_TOKEN_FILE names; never from the command line, which other
users of the machine can see.
`;

/** Every command, by its name. The code of one is imported when it is run, so that help loads none. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  start: {
    summary: 'start the service (default)',
    load: async () => (await import('./start.js')).start,
    usage: `Starts the service: also what "partner-bff" does without a word.

  partner-bff start

Settings are environment variables: docs/configuration.md. Without UPSTREAM_URL the service starts its own playground.
Exit code 78 for a setting that is wrong, 69 for what cannot be reached.
`,
  },
  check: {
    summary: 'read the settings, print those that are set',
    load: async () => (await import('./check.js')).check,
    usage: `Reads the settings as the service does, and prints those that are set or differ from their defaults.

  partner-bff check [--all] [--json]

  --all   prints every setting

Secrets are printed as "set". Exit code 0, or 78 with every fault, of registered operations too. Nothing is started,
reached or written.
`,
  },
  doctor: {
    summary: 'try everything that the service relies on',
    load: async () => (await import('./doctor/doctor.js')).doctor,
    usage: `Tries everything that the service relies on, and says what to do.

  partner-bff doctor [--json]

A line for each: ok, warn or fail, what was seen, what to do. Issuer, token endpoint, GraphQL, keys of end users,
membership service, database, Redis, sink, the clock against each of them, registered operations against the upstream's
schema, webhook subscriptions, and each condition that a running service reports. The sink is connected to, with TLS
where it has it, and sent nothing. Exit code 0, or 1 with any fail.
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

<sub> is the user's "sub" as the end-user token has it, <hirer id> a whole object identifier, such as
scheme:organization:part:id. Without --role the role is "member"; the roles given replace any previous ones. remove ends
with exit code 1 where there is no such membership.

A CSV file has the header user,hirerId,roles and a row for each membership; roles are separated by spaces. It is imported
as a whole or not at all. With --replace, memberships that are not in the file end. With --dry-run nothing is changed.

  --issuer <iss>  whose users they are, where END_USER_ISSUER names several; else the first
${STORE_USAGE}`,
  },
  operations: {
    summary: 'registered operations against a schema',
    load: async () => (await import('./operations.js')).operations,
    usage: `Registered operations and a GraphQL schema.

  partner-bff operations check [--schema <file or address>] [--operations <folders>]

check prints a sentence for each fault of a registered operation, a built-in query or a document of the subscriptions
command, and for each use of what the schema deprecates. Its exit code is 0 without faults, 1 with faults, and 2 when it
could not check.

  --schema      SDL, or the answer to introspection as JSON; or the address of a GraphQL endpoint, which is asked for
                its schema. Without it, the endpoint of UPSTREAM_URL. Only that origin gets a partner token, requested
                with ISSUER_TOKEN_URL, PARTNER_CLIENT_ID and PARTNER_CLIENT_SECRET.
  --operations  folders of the operations, as OPERATIONS_DIR has them; without it, those of OPERATIONS_DIR
`,
  },
  subscriptions: {
    summary: "the upstream's webhook subscriptions",
    load: async () => (await import('./subscriptions/subscriptions.js')).subscriptions,
    usage: `The upstream's webhook subscriptions: to which URL it sends which events.

  partner-bff subscriptions list     [choice]
  partner-bff subscriptions ensure   --url <url> --types <types> [--hirer <id>] [--from <url>] [--max-events <n>] [--dry-run]
  partner-bff subscriptions rotate   [choice] [--force] [--dry-run]
  partner-bff subscriptions replay   [choice] --since <time> [--until <time>] [--delivered] [--dry-run]
  partner-bff subscriptions replay   [choice] --event <id>... [--dry-run]
  partner-bff subscriptions requests [choice] [--since <time>] [--until <time>]

ensure makes what is missing so that the events of these types reach the URL, signed with the first of WEBHOOK_SECRETS,
and changes nothing else. Types are separated by commas; "all" are the documented ones. With --hirer the subscriptions are
of that hirer, else of every related one. --from moves the subscriptions of another URL.

rotate has the upstream sign with the first of WEBHOOK_SECRETS. It takes up to 30 minutes, so the previous secret must
follow it, here and at the service.

replay has the upstream deliver events again that were not delivered, or with --delivered all of them; that needs --hirer
where a subscription is of every hirer. It goes back 90 days and names at most 100 events.

requests shows what the upstream sent, and what it was answered, beside what the service received (by its ops listener:
OPS_HOST, OPS_PORT, OPS_TOKEN); without --since, of the last 24 hours. Its exit code is 1 if an event was never received.

With --dry-run nothing is changed: what would be done is printed.

A choice is any of --url <url>, --types <types>, --hirer <id> and --subscription <id>; without one, all are meant.

  --scheme <id>   the scheme of the subscriptions, else EVENTS_SCHEME_ID

Settings are read as the service reads them: UPSTREAM_URL, ISSUER_TOKEN_URL, PARTNER_CLIENT_ID and _SECRET, WEBHOOK_SECRETS.
`,
  },
  events: {
    summary: 'stored events and their redelivery',
    load: async () => (await import('./events.js')).events,
    usage: `Stored events, and their redelivery.

  partner-bff events list [--state <state>] [--type <type>] [--hirer <id>] [--since <time>] [--until <time>] [--limit <n>] [--json]
  partner-bff events show <event id>
  partner-bff events redeliver <event id>... [--as-new] [--sink <name>] [--json]
  partner-bff events redeliver --state <state> [--type <type>] [--hirer <id>] [--since <time>] [--until <time>] [--sink <name>] [--as-new] [--dry-run] [--json]

list prints the latest first, 100 without --limit: time received, state, type, id, hirer, attempts, last failure.

show prints one event as JSON, with its payload and the latest attempts to deliver it. It is audited.

redeliver queues events for delivery, once however often it is asked before they are delivered. Where no service runs, the
next one on this store delivers them. --as-new delivers under a new webhook-id, so that a receiver that drops repeats
handles them again; --sink redelivers to one of several sinks. Times are ISO 8601.
${STORE_USAGE}`,
  },
  users: {
    summary: 'what is kept of one end user: export, erase',
    load: async () => (await import('./users.js')).users,
    usage: `What the service keeps of one end user.

  partner-bff users export <sub> [--issuer <iss>]
  partner-bff users erase <sub> [--issuer <iss>] [--json]

<sub> is the user's "sub" as the end-user token has it; without --issuer, of the first of END_USER_ISSUER.

export prints memberships and audit records as JSON. erase removes memberships, limits and cached tokens on every replica
and takes the pseudonym out of the audit records; it is audited. Have the identity provider stop signing the user in
first. docs/data-protection.md says what is kept, and what cannot be erased.
${STORE_USAGE}`,
  },
  backup: {
    summary: 'a copy of the embedded database',
    load: async () => (await import('./backup.js')).backup,
    usage: `A copy of the embedded database in a new file, of one moment.

  partner-bff backup <file>

The service goes on; requests that need the store wait while the copy is made. An existing file is refused.
docs/operate.md says how to restore it. With PostgreSQL use pg_dump.
${STORE_USAGE}`,
  },
  storage: {
    summary: 'the embedded database into PostgreSQL',
    load: async () => (await import('./storage.js')).storage,
    usage: `Moves the embedded database into PostgreSQL.

  partner-bff storage copy [--from <folder>] [--dry-run]

Stop the service first. The source is DATA_DIR, or --from, and keeps its content; the target is the empty database that
DATABASE_URL or DATABASE_URL_FILE names. Everything is copied in one transaction, or nothing.

With --dry-run everything is checked and counted, and nothing written. docs/operate.md says how to change over.
`,
  },
  secrets: {
    summary: 'new values for the secrets that you make yourself',
    load: async () => (await import('./secrets.js')).secrets,
    usage: `New values for every secret that you make yourself, as NAME=value.

  partner-bff secrets

They are random, and kept nowhere: write them into your secret store. USER_ID_KEY must never change afterwards.
`,
  },
  playground: {
    summary: 'start the service with its playground',
    load: async () => (await import('./start.js')).playground,
    usage: `Starts the service with its playground: an emulator of upstream and issuer, and a demo page.

  partner-bff playground

It needs the package partner-bff-playground, and neither account nor setting. Never for production.
`,
  },
};
