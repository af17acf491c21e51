/** What `subscriptions --help` prints. By itself, so that it is printed without loading the command. */
export const SUBSCRIPTIONS_USAGE = `The upstream's webhook subscriptions: to which URL it sends which events.

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
`;
