import type { Environment } from '../../config/load-config.js';
import { splitList } from '../../config/values/setting.js';
import { EVENT_TYPES, isDocumented } from '../../webhooks/event-types.js';
import { CommandFault, MISUSED, type Output } from '../command.js';
import { readSettings } from '../partner-access.js';
import { FLAG, readSubcommand, TEXT, TEXTS, type Subcommand } from '../read-arguments.js';
import { RunningService } from '../store/running-service.js';
import { rowOf, select, type CommandContext } from './command-context.js';
import { ensure } from './ensure.js';
import { PartnerGraphql } from './partner-graphql.js';
import { ReceivedEvents } from './received-events.js';
import { replay, timeOf } from './replay.js';
import { listRequests } from './requests.js';
import { rotate } from './rotate.js';
import { UpstreamSubscriptions } from './upstream-subscriptions.js';

const MISSING = 1;
const DAY_MS = 86_400_000;
const EVENTS_MAX = 10;
const SETTINGS = ['EVENTS_SCHEME_ID', 'WEBHOOK_SECRETS'] as const;

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
 * @throws CommandFault with exit code 1 for a failure, or a setting that is missing or wrong; with 2 for a command line
 *   that is wrong, or where the scheme or `WEBHOOK_SECRETS` is missing
 */
export async function subscriptions(
  argv: readonly string[],
  environment: Environment,
  output: Output,
  now: () => number = Date.now,
): Promise<number> {
  const words = readSubcommand('subscriptions', argv, FORMS);
  return withContext(words.values.scheme, environment, output, now, (context) => {
    switch (words.name) {
      case 'list':
        return list(context, words.values);
      case 'ensure':
        return ensureAll(context, words.values);
      case 'rotate':
        return rotateAll(context, words.values);
      case 'replay':
        return replayAll(context, words.values);
      case 'requests':
        return requests(context, words.values);
    }
  });
}

async function list({ upstream, print, warn }: CommandContext, values: Values<'list'>): Promise<number> {
  const found = select(await upstream.list(), choiceOf(values));
  for (const subscription of found) print(rowOf(subscription));
  if (found.length === 0) warn('No subscriptions.');
  return 0;
}

async function ensureAll(context: CommandContext, values: Values<'ensure'>): Promise<number> {
  const { url, types, hirer, from, 'dry-run': dryRun } = values;
  if (url === undefined || types === undefined) {
    throw new CommandFault('ensure needs --url and --types.', MISUSED);
  }
  if (!URL.canParse(url)) throw new CommandFault('--url is no address.', MISUSED);
  const wanted = typesOf(types);
  for (const type of wanted.filter((name) => !isDocumented(name))) {
    context.warn(`${type} is no documented type of event.`);
  }
  const maxEvents = eventsOf(values['max-events']);
  await ensure(context, { url, types: wanted, hirer, from, maxEvents, dryRun });
  return 0;
}

async function rotateAll(context: CommandContext, values: Values<'rotate'>): Promise<number> {
  const { force: isForced, 'dry-run': dryRun } = values;
  await rotate(context, choiceOf(values), { isForced, dryRun });
  return 0;
}

async function replayAll(context: CommandContext, values: Values<'replay'>): Promise<number> {
  const { since, until, event, delivered, 'dry-run': dryRun } = values;
  await replay(context, choiceOf(values), { since, until, eventIds: event, delivered, dryRun });
  return 0;
}

async function requests(context: CommandContext, values: Values<'requests'>): Promise<number> {
  const until = values.until === undefined ? undefined : timeOf('--until', values.until);
  const end = until ?? context.now();
  const since = values.since === undefined ? end - DAY_MS : timeOf('--since', values.since);
  // without --until there is no end: the clock of the upstream may be ahead of this one
  const span = { since: isoTime(since), until: until === undefined ? undefined : isoTime(until) };
  return (await listRequests(context, choiceOf(values), span)) > 0 ? MISSING : 0;
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

async function withContext(
  scheme: string | undefined,
  environment: Environment,
  output: Output,
  now: () => number,
  work: (context: CommandContext) => Promise<number>,
): Promise<number> {
  const settings = readSettings(SETTINGS, environment);
  const schemeId = scheme ?? settings.EVENTS_SCHEME_ID;
  if (schemeId === undefined) {
    throw new CommandFault('Name the scheme with --scheme, or set EVENTS_SCHEME_ID.', MISUSED);
  }
  const service = RunningService.at({}, environment);
  const graphql = PartnerGraphql.open(environment);
  try {
    return await work({
      ...output,
      upstream: new UpstreamSubscriptions(graphql, schemeId),
      received: new ReceivedEvents(service),
      secrets: settings,
      now,
    });
  } finally {
    await graphql.close();
  }
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
