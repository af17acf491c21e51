/** Where a behaviour of the playground is known from. */
export type Origin = 'public' | 'interface.md' | 'our guess';

/** One behaviour, and the test that shows it. */
export interface Behaviour {
  readonly what: string;
  readonly origin: Origin;
  readonly test: string;
}

/**
 * The conduct of the playground, the source of each part, and the test that shows it. The table of docs/playground.md.
 */
export const BEHAVIOURS: readonly Behaviour[] = [
  {
    what: 'The schema: types, fields, arguments, inputs, payloads, enums',
    origin: 'public',
    test: 'is described by introspection, which needs no token',
  },
  {
    what: 'Identifiers of mock objects',
    origin: 'public',
    test: 'has %s, which public pages show',
  },
  {
    what: 'Partner tokens: request, `audience`, 1,800 s',
    origin: 'public',
    test: '5.2 issues a partner token for client credentials in JSON, as a form, and with a Basic header',
  },
  {
    what: 'Relationships, and `FORBIDDEN` without one, also on nested fields',
    origin: 'public',
    test: '5.6 checks scopes and relationships on nested fields too, and gives the rest',
  },
  {
    what: 'Signature, ten events a request, any 2xx within 10 s, outcome codes',
    origin: 'public',
    test: 'treats any 2xx as success and retries after anything else, including redirects and timeouts',
  },
  {
    what: 'A changed subscription acts after a delay',
    origin: 'public',
    test: 'a mutation that changes a subscription acts after the delay',
  },
  {
    what: 'Posting is asynchronous and ends in PositionProfilePosted or PositionNotPosted',
    origin: 'public',
    test: 'an ad cannot be read until it is posted after the delay, and then its event tells so',
  },
  {
    what: 'Ads close after 30 days; applications stay 180 days longer',
    origin: 'public',
    test: 'an ad closes at its end, and is forgotten with its applications 180 days later',
  },
  {
    what: 'A closed ad cannot be closed again',
    origin: 'public',
    test: 'an ad that was closed by hand does not close a second time',
  },
  {
    what: 'Deleted candidates are empty',
    origin: 'public',
    test: 'has a deleted candidate, who is empty',
  },
  {
    what: 'Events stay 90 days; cursors, page sizes and filters of `events`',
    origin: 'public',
    test: 'forgets events after 90 days, and takes a reader with an old cursor to the earliest',
  },
  {
    what: 'Attachments: five formats, four headers, `HEAD`, scope',
    origin: 'public',
    test: 'answers HEAD and GET of all five formats with the four headers and as many bytes as they state',
  },
  {
    what: '`extensions.requestLatency`',
    origin: 'interface.md',
    test: '2.4 puts an integer requestLatency into every answer, failed ones included',
  },
  {
    what: 'Arrays of requests',
    origin: 'interface.md',
    test: '4.4 takes queries and mutations together in an array',
  },
  {
    what: 'Three locales, and how a region falls back',
    origin: 'interface.md',
    test: 'L.%s answers Accept-Language "%s" with content in %s',
  },
  {
    what: 'TLS without the suites of 1.0 and 1.1',
    origin: 'interface.md',
    test: '4.1 refuses suites without authenticated encryption or forward secrecy, also in TLS 1.2',
  },
  {
    what: 'Statuses and bodies of refusals at `/auth/token`',
    origin: 'our guess',
    test: '2.1 refuses %s with 400',
  },
  {
    what: 'What counts as personal data in `userId`',
    origin: 'our guess',
    test: '2.1 refuses %s as userId, which is personal data',
  },
  {
    what: 'Reasons of PositionNotPosted, and that `seekPartnerPositionId` is the profile that was asked for',
    origin: 'our guess',
    test: 'an ad that fails tells why, stays unreadable, and can be posted again',
  },
  {
    what: 'An opening closes with its last live ad',
    origin: 'our guess',
    test: 'an ad closes at its end, and is forgotten with its applications 180 days later',
  },
  {
    what: 'The schedule of retries, and that they follow the clock',
    origin: 'our guess',
    test: 'retries by the playground’s clock',
  },
  {
    what: 'Statuses and bodies of rate limits, and their sizes',
    origin: 'our guess',
    test: 'rates of every route are limited by its name, in the form of its errors, with Retry-After',
  },
  {
    what: 'What letters and résumés say, and images as SVG',
    origin: 'our guess',
    test: 'serves the images of a branding, without a token',
  },
  {
    what: 'When a subscription ends by itself',
    origin: 'our guess',
    test: 'a subscription for a time shows when it ends, and ends then',
  },
];

const ORIGINS: readonly Origin[] = ['public', 'interface.md', 'our guess'];

/** The table as Markdown, by origin; columns are as wide as their text. */
export function behaviourTable(): string {
  const rows = ORIGINS.flatMap((origin) => BEHAVIOURS.filter((behaviour) => behaviour.origin === origin));
  const lines = rows.map(({ what, origin, test }) => `| ${what} | ${origin} | \`${test}\` |`);
  return ['| Behaviour | Known from | Shown by |', '| --- | --- | --- |', ...lines].join('\n');
}
