import { readSettings, type Environment } from '../../config/load-config.js';
import { splitList } from '../../config/values/setting.js';
import { EVENT_TYPES, isDocumented } from '../../webhooks/event-types.js';
import { CommandFault, MISUSED, type Output } from '../command.js';
import { PartnerAccess } from '../partner-access.js';
import { FLAG, readSubcommand, TEXT, TEXTS, type Subcommand } from '../read-arguments.js';
import { RunningService } from '../store/running-service.js';
import { ensure, type EnsureOptions } from './ensure.js';
import { replay, timeOf } from './replay.js';
import { listRequests, type Span } from './requests.js';
import {
  rowOf,
  select,
  UpstreamSubscriptions,
  type Selection,
  type SubscriptionsContext,
} from './upstream-subscriptions.js';

const MISSING = 1;
const DAY_MS = 86_400_000;
const EVENTS_MAX = 10;

const CHOICE = { url: TEXT, types: TEXT, hirer: TEXT, subscription: TEXT, scheme: TEXT } as const;
const SPAN = { since: TEXT, until: TEXT } as const;
const FORMS = {
  list: { options: CHOICE },
  ensure: {
    options: {
      url: TEXT,
      types: TEXT,
      hirer: TEXT,
      scheme: TEXT,
      from: TEXT,
      'max-events': TEXT,
      'dry-run': FLAG,
    },
  },
  rotate: { options: { ...CHOICE, force: FLAG, 'dry-run': FLAG } },
  replay: { options: { ...CHOICE, ...SPAN, event: TEXTS, delivered: FLAG, 'dry-run': FLAG } },
  requests: { options: { ...CHOICE, ...SPAN } },
} as const;

type Words = Subcommand<typeof FORMS>;
type Values<Name extends Words['name']> = Extract<Words, { name: Name }>['values'];

/**
 * The command `subscriptions`.
 * @param argv what follows its name
 * @returns 0, or 1 for events never received
 * @throws ConfigError for settings that are wrong; CommandFault with exit code 1 for a failure, with 2 for a command line
 *   that is wrong, or where the scheme or `WEBHOOK_SECRETS` is missing
 */
export async function subscriptions(
  argv: readonly string[],
  environment: Environment,
  output: Output,
  now: () => number = Date.now,
): Promise<number> {
  const words = readSubcommand('subscriptions', argv, FORMS);
  const settings = readSettings(['EVENTS_SCHEME_ID', 'WEBHOOK_SECRETS'], environment);
  const schemeId = words.values.scheme ?? settings.EVENTS_SCHEME_ID;
  if (schemeId === undefined) {
    throw new CommandFault('Name the scheme with --scheme, or set EVENTS_SCHEME_ID.', MISUSED);
  }
  const access = PartnerAccess.open(environment);
  const upstream = new UpstreamSubscriptions(access, schemeId);
  const context = { ...output, upstream, secrets: settings.WEBHOOK_SECRETS, now };
  try {
    return await run(context, words, environment);
  } finally {
    await access.close();
  }
}

async function run(context: SubscriptionsContext, words: Words, environment: Environment): Promise<number> {
  switch (words.name) {
    case 'list':
      await list(context, choiceOf(words.values));
      return 0;
    case 'ensure':
      await ensure(context, readWish(words.values, context));
      return 0;
    case 'rotate': {
      const { force: isForced, 'dry-run': dryRun } = words.values;
      await rotate(context, choiceOf(words.values), { isForced, dryRun });
      return 0;
    }
    case 'replay': {
      const { since, until, event: eventIds, delivered, 'dry-run': dryRun } = words.values;
      await replay(context, choiceOf(words.values), { since, until, eventIds, delivered, dryRun });
      return 0;
    }
    case 'requests': {
      const chosen = select(await context.upstream.list(), choiceOf(words.values));
      const service = RunningService.at({}, environment);
      const missing = await listRequests(context, service, chosen, spanOf(words.values, context.now()));
      return missing > 0 ? MISSING : 0;
    }
  }
}

async function list({ upstream, print, warn }: SubscriptionsContext, selection: Selection): Promise<void> {
  const found = select(await upstream.list(), selection);
  for (const subscription of found) print(rowOf(subscription));
  if (found.length === 0) warn('No subscriptions.');
}

/**
 * `rotate`: has the upstream sign with the newest secret. The upstream keeps secrets to itself, so that it cannot be told
 * which one it has: every selected subscription is set, and setting the same one again does nothing.
 * @throws CommandFault where a webhook that is still signed with the previous secret would be refused
 */
async function rotate(
  { upstream, secrets, print }: SubscriptionsContext,
  selection: Selection,
  { isForced, dryRun }: { readonly isForced: boolean; readonly dryRun: boolean },
): Promise<void> {
  const chosen = select(await upstream.list(), selection).filter(({ isSigned }) => isSigned);
  if (chosen.length === 0) {
    throw new CommandFault('No signed subscription matches: nothing was changed.', MISUSED);
  }
  const [newest, previous] = secrets;
  if (previous === undefined && !isForced) {
    throw new CommandFault(
      'The change takes up to 30 minutes, in which the upstream signs with the old secret. List it after the new one in WEBHOOK_SECRETS, here and at the service. --force: the old one is lost or known to others. Nothing was changed.',
      MISUSED,
    );
  }
  if (newest === undefined) {
    throw new CommandFault('Set WEBHOOK_SECRETS. Nothing was changed.', MISUSED);
  }
  for (const subscription of chosen) {
    if (!dryRun) await upstream.sign(subscription.id, newest);
    print(`${dryRun ? 'would set' : 'set'}\t${rowOf(subscription)}`);
  }
  if (dryRun) return;
  print(
    'Remove the previous secret after 30 minutes, once bff_webhook_signatures_total counts "secret 1" alone.',
  );
}

function readWish(values: Values<'ensure'>, { warn }: Output): EnsureOptions {
  const { url, types, hirer, from, 'dry-run': dryRun } = values;
  if (url === undefined || types === undefined) {
    throw new CommandFault('ensure needs --url and --types.', MISUSED);
  }
  if (!URL.canParse(url)) throw new CommandFault('--url is not an address.', MISUSED);
  const wanted = typesOf(types);
  for (const type of wanted.filter((name) => !isDocumented(name))) {
    warn(`${type} is not a documented event type.`);
  }
  return { url, types: wanted, hirer, from, maxEvents: eventsOf(values['max-events']), dryRun };
}

/** Without --until there is no end: the clock of the upstream may be ahead of this one. */
function spanOf(values: Values<'requests'>, now: number): Span {
  const until = values.until === undefined ? undefined : timeOf('--until', values.until);
  const since = values.since === undefined ? (until ?? now) - DAY_MS : timeOf('--since', values.since);
  const isoTime = (ms: number): string => new Date(ms).toISOString();
  return { since: isoTime(since), until: until === undefined ? undefined : isoTime(until) };
}

function choiceOf({ url, types, hirer, subscription }: Values<'list'>) {
  return { url, types: types === undefined ? undefined : typesOf(types), hirer, subscription };
}

function typesOf(list: string): string[] {
  const names = splitList(list);
  return [...new Set(names.flatMap((name) => (name === 'all' ? Object.keys(EVENT_TYPES) : [name])))];
}

function eventsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= EVENTS_MAX) return count;
  throw new CommandFault(`--max-events is a number from 1 to ${EVENTS_MAX}.`, MISUSED);
}
