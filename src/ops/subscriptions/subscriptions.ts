import { parseArgs } from 'node:util';
import type { Environment } from '../../config/load-config.js';
import { splitList } from '../../config/values/setting.js';
import { EVENT_TYPES, isDocumented } from '../../webhooks/schema/event-types.js';
import { AccessFault, readSettings } from '../partner-access.js';
import { Misuse, rowOf, select, type CommandContext, type Output } from './command-context.js';
import { ensure } from './ensure.js';
import { PartnerGraphql } from './partner-graphql.js';
import { ReceivedEvents } from './received-events.js';
import { replay, timeOf } from './replay.js';
import { listRequests } from './requests.js';
import { rotate } from './rotate.js';
import { UpstreamSubscriptions } from './upstream-subscriptions.js';
import { SUBSCRIPTIONS_USAGE } from './usage.js';

const MISSING = 1;
const FAILED = 1;
const MISUSED = 2;
const DAY_MS = 86_400_000;
const EVENTS_MAX = 10;
const SETTINGS = [
  'EVENTS_SCHEME_ID',
  'WEBHOOK_SECRETS',
  'WEBHOOK_SUBSCRIPTION_SECRETS',
  'WEBHOOK_UNSIGNED_SUBSCRIPTIONS',
  'OPS_HOST',
  'OPS_PORT',
  'OPS_TOKEN',
] as const;

/**
 * The command `subscriptions`.
 * @param argv what follows its name
 * @returns the exit code: 0; 1 for a failure, a setting that is missing or wrong, or events never received; 2 for a
 *   command line that is wrong, or where the scheme or `WEBHOOK_SECRETS` is missing
 */
export async function subscriptions(
  argv: readonly string[],
  environment: Environment,
  output: Output,
  now: () => number = Date.now,
): Promise<number> {
  try {
    const { values, positionals } = readArguments(argv);
    if (values.help) return (output.print(SUBSCRIPTIONS_USAGE.trimEnd()), 0);
    const [command] = positionals;
    if (command === undefined || positionals.length > 1 || !isCommand(command)) {
      throw new Misuse(SUBSCRIPTIONS_USAGE);
    }
    return await withContext(values.scheme, environment, output, now, (context) =>
      COMMANDS[command](context, values),
    );
  } catch (error) {
    if (!(error instanceof Misuse || error instanceof AccessFault)) throw error;
    output.warn(error.message.trimEnd());
    return error instanceof Misuse ? MISUSED : FAILED;
  }
}

type Values = ReturnType<typeof readArguments>['values'];

const COMMANDS = {
  list: async ({ upstream, print, warn }, values) => {
    const found = select(await upstream.list(), choiceOf(values));
    for (const subscription of found) print(rowOf(subscription));
    if (found.length === 0) warn('No subscriptions.');
    return 0;
  },
  ensure: async (context, values) => {
    const { url, types, hirer, from, 'dry-run': dryRun } = values;
    if (url === undefined || types === undefined) throw new Misuse('ensure needs --url and --types.');
    if (!URL.canParse(url)) throw new Misuse('--url is no address.');
    const wanted = typesOf(types);
    for (const type of wanted.filter((name) => !isDocumented(name))) {
      context.warn(`${type} is no documented type of event.`);
    }
    await ensure(context, { url, types: wanted, hirer, from, maxEvents: eventsOf(values), dryRun });
    return 0;
  },
  rotate: async (context, values) => {
    await rotate(context, choiceOf(values), values.force);
    return 0;
  },
  replay: async (context, values) => {
    const { since, until, event, delivered } = values;
    await replay(context, choiceOf(values), { since, until, eventIds: event, delivered });
    return 0;
  },
  requests: async (context, values) => {
    const until = values.until === undefined ? undefined : timeOf('--until', values.until);
    const end = until ?? context.now();
    const since = values.since === undefined ? end - DAY_MS : timeOf('--since', values.since);
    // without --until there is no end: the clock of the upstream may be ahead of this one
    const span = { since: isoTime(since), until: until === undefined ? undefined : isoTime(until) };
    return (await listRequests(context, choiceOf(values), span)) > 0 ? MISSING : 0;
  },
} as const satisfies Record<string, (context: CommandContext, values: Values) => Promise<number>>;

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

function isCommand(name: string): name is keyof typeof COMMANDS {
  return Object.hasOwn(COMMANDS, name);
}

function readArguments(argv: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        url: text,
        types: text,
        hirer: text,
        subscription: text,
        scheme: text,
        from: text,
        'max-events': text,
        since: text,
        until: text,
        event: { type: 'string', multiple: true, default: [] },
        delivered: flag,
        force: flag,
        'dry-run': flag,
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new Misuse(`${(error as Error).message}\n\n${SUBSCRIPTIONS_USAGE}`);
  }
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
  if (schemeId === undefined) throw new Misuse('Name the scheme with --scheme, or set EVENTS_SCHEME_ID.');
  const { OPS_HOST: host, OPS_PORT: port, OPS_TOKEN: token } = settings;
  const graphql = PartnerGraphql.open(environment);
  try {
    return await work({
      ...output,
      upstream: new UpstreamSubscriptions(graphql, schemeId),
      received: new ReceivedEvents({ host, port, token }),
      secrets: settings,
      now,
    });
  } finally {
    await graphql.close();
  }
}

function choiceOf({ url, types, hirer, subscription }: Values) {
  return { url, types: types === undefined ? undefined : typesOf(types), hirer, subscription };
}

function typesOf(list: string): string[] {
  const names = splitList(list);
  return [...new Set(names.flatMap((name) => (name === 'all' ? Object.keys(EVENT_TYPES) : [name])))];
}

function eventsOf({ 'max-events': text }: Values): number | undefined {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= EVENTS_MAX) return count;
  throw new Misuse(`--max-events is a number from 1 to ${EVENTS_MAX}.`);
}
