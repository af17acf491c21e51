import type { Environment } from '../config/load-config.js';
import { Misuse, type Output } from '../ops/subscriptions/command-context.js';
import { CommandFault } from './command.js';
import { FLAG, readArguments, TEXT } from './read-arguments.js';
import { openStore } from './store/open-store.js';
import type { StoreRoutes } from './store/store-routes.js';
import { EVENTS_USAGE, STORE_USAGE } from './usage.js';

const USAGE = EVENTS_USAGE + STORE_USAGE;
const MISUSED = 2;
const LISTED = 100;

interface Event {
  readonly id: string;
  readonly type: string;
  readonly hirerId: string | null;
  readonly state: string;
  readonly attempts: number;
  readonly receivedAt: string;
  readonly lastFailure: string | null;
}

type Values = ReturnType<typeof readValues>['values'];

/** `events`: the stored events, and their redelivery. */
export async function events(
  argv: readonly string[],
  environment: Environment,
  output: Output,
): Promise<number> {
  const { values, positionals } = readValues(argv);
  const [command, ...ids] = positionals;
  const isList = command === 'list' && ids.length === 0;
  const isRedelivery = command === 'redeliver' && ids.length > 0 !== (values.state !== undefined);
  if (!isList && !isRedelivery) throw new Misuse(USAGE);
  const count = countOf(values);
  const store = await openStore({ host: values.host, port: values.port }, environment);
  try {
    if (isList) await list(store, values, count, output);
    else if (ids.length > 0) await redeliver(store, ids, values, output);
    else await redeliverAll(store, values, output);
    return 0;
  } finally {
    await store.close();
  }
}

function readValues(argv: readonly string[]) {
  return readArguments(argv, USAGE, {
    state: TEXT,
    type: TEXT,
    hirer: TEXT,
    since: TEXT,
    until: TEXT,
    sink: TEXT,
    limit: TEXT,
    'as-new': FLAG,
    'dry-run': FLAG,
    json: FLAG,
    host: TEXT,
    port: TEXT,
  });
}

function countOf({ limit }: Values): number {
  const count = limit === undefined ? LISTED : Number(limit);
  if (Number.isInteger(count) && count > 0) return count;
  throw new CommandFault('--limit is a number above 0.', MISUSED);
}

function filterOf({ state, type, hirer, since, until }: Values) {
  return { state, type, hirer, since, until };
}

async function list(
  store: StoreRoutes,
  values: Values,
  count: number,
  { print, warn }: Output,
): Promise<void> {
  const found: Event[] = [];
  for await (const one of store.list<Event>('/events', { ...filterOf(values), payload: 'false' })) {
    found.push(one);
    if (found.length === count) break;
  }
  if (values.json) return print(JSON.stringify(found, null, 2));
  for (const { id, type, hirerId, state, attempts, receivedAt, lastFailure } of found) {
    print(
      [receivedAt, state, type, id, hirerId ?? 'no hirer', attempts, lastFailure ?? ''].join('\t').trimEnd(),
    );
  }
  if (found.length === 0) warn('No events.');
}

/** One after the other: an id that is not known ends it, and those before it are queued. */
async function redeliver(
  store: StoreRoutes,
  ids: readonly string[],
  values: Values,
  { print }: Output,
): Promise<void> {
  for (const id of ids) {
    const body = { asNew: values['as-new'], sink: values.sink };
    const answer = await store.ask('POST', `/events/${encodeURIComponent(id)}/redeliver`, body);
    const event = (await answer.json()) as Event;
    print(values.json ? JSON.stringify(event) : `queued\t${event.type}\t${event.id}`);
  }
}

async function redeliverAll(store: StoreRoutes, values: Values, { print }: Output): Promise<void> {
  const dryRun = values['dry-run'];
  const body = { ...filterOf(values), dryRun, asNew: values['as-new'], sink: values.sink };
  const answer = await store.ask('POST', '/events/redeliver', body);
  const begun = (await answer.json()) as { total: number };
  const done = dryRun ? 'would be queued' : 'are queued by the service, in batches';
  print(values.json ? JSON.stringify(begun) : `${begun.total} events ${done}.`);
}
