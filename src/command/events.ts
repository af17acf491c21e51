import { parseExact } from '../json/parse-json.js';
import { CommandFault, counted, MISUSED, type Output, type Run } from './command.js';
import { FLAG, readSubcommand, TEXT, type Subcommand } from './read-arguments.js';
import { withStore } from './store/running-service.js';
import type { StoreRoutes } from './store/store-routes.js';

const LISTED = 100;
const PLACE = { host: TEXT, port: TEXT } as const;
const FILTER = { state: TEXT, type: TEXT, hirer: TEXT, since: TEXT, until: TEXT } as const;
const FORMS = {
  list: { options: { ...FILTER, ...PLACE, limit: TEXT, json: FLAG } },
  show: { operands: ['<event id>'], options: PLACE },
  redeliver: {
    operands: ['[<event id>...]'],
    options: { ...FILTER, ...PLACE, sink: TEXT, 'as-new': FLAG, 'dry-run': FLAG, json: FLAG },
  },
} as const;
/** Filters of all events, which mean nothing together with an id. */
const CHOOSING = ['state', 'type', 'hirer', 'since', 'until', 'dry-run'] as const;

type Words<Name> = Extract<Subcommand<typeof FORMS>, { name: Name }>;

interface Event {
  readonly id: string;
  readonly type: string;
  readonly hirerId: string | null;
  readonly state: string;
  readonly attempts: number;
  readonly receivedAt: string;
  readonly lastFailure: string | null;
}

/** `events`: the stored events, and their redelivery. */
export const events: Run = async (argv, environment, output) => {
  const words = readSubcommand('events', argv, FORMS);
  if (words.name === 'list') countOf(words);
  if (words.name === 'redeliver') requireOneWay(words);
  return withStore(words.values, environment, async (store) => {
    if (words.name === 'list') await list(store, words, output);
    else if (words.name === 'show') await show(store, words.operands[0]!, output);
    else await (words.operands.length > 0 ? redeliver : redeliverAll)(store, words, output);
    return 0;
  });
};

/** Events are named, or chosen by a filter. */
function requireOneWay({ operands, values }: Words<'redeliver'>): void {
  const beside = CHOOSING.find((name) => values[name] !== undefined && values[name] !== false);
  if (operands.length === 0) {
    if (beside !== undefined) return;
    const wanted = 'events redeliver needs <event id>, or a filter such as --state to redeliver many.';
    throw new CommandFault(wanted, MISUSED);
  }
  if (beside === undefined) return;
  throw new CommandFault(
    `events redeliver takes no --${beside} beside an event's id. Nothing was queued.`,
    MISUSED,
  );
}

/** @throws CommandFault for a limit that is none */
function countOf({ values: { limit } }: Words<'list'>): number {
  const count = limit === undefined ? LISTED : Number(limit);
  if (Number.isInteger(count) && count > 0) return count;
  throw new CommandFault('--limit is a number above 0.', MISUSED);
}

function filterOf({ state, type, hirer, since, until }: Words<'list' | 'redeliver'>['values']) {
  return { state, type, hirer, since, until };
}

async function list(store: StoreRoutes, words: Words<'list'>, { print, warn }: Output): Promise<void> {
  const found: Event[] = [];
  for await (const one of store.list<Event>('/events', { ...filterOf(words.values), payload: 'false' })) {
    found.push(one);
    if (found.length === countOf(words)) break;
  }
  if (words.values.json) return print(JSON.stringify(found, null, 2));
  for (const { id, type, hirerId, state, attempts, receivedAt, lastFailure } of found) {
    print(
      [receivedAt, state, type, id, hirerId ?? 'no hirer', attempts, lastFailure ?? ''].join('\t').trimEnd(),
    );
  }
  if (found.length === 0) warn('No events.');
}

/** As the route answers, with payload and attempts: numbers beyond a double stay as they are. */
async function show(store: StoreRoutes, id: string, { print }: Output): Promise<void> {
  const answer = await store.ask('GET', `/events/${encodeURIComponent(id)}`, undefined, absenceOf(id));
  print(JSON.stringify(parseExact(await answer.text()), null, 2));
}

function absenceOf(id: string): string {
  return `There is no event ${id}. "events list" prints the latest.`;
}

/** One after the other: an id that is not known ends it, and those before it are queued. */
async function redeliver(
  store: StoreRoutes,
  { operands, values }: Words<'redeliver'>,
  { print }: Output,
): Promise<void> {
  const body = { asNew: values['as-new'], sink: values.sink };
  for (const id of operands) {
    const path = `/events/${encodeURIComponent(id)}/redeliver`;
    const answer = await store.ask('POST', path, body, absenceOf(id));
    const event = (await answer.json()) as Event;
    print(values.json ? JSON.stringify(event) : `queued\t${event.type}\t${event.id}`);
  }
}

async function redeliverAll(
  store: StoreRoutes,
  { values }: Words<'redeliver'>,
  { print }: Output,
): Promise<void> {
  const dryRun = values['dry-run'];
  const body = { ...filterOf(values), dryRun, asNew: values['as-new'], sink: values.sink };
  const answer = await store.ask('POST', '/events/redeliver', body);
  const begun = (await answer.json()) as { total: number };
  const done = dryRun ? 'would be queued' : 'queued';
  print(values.json ? JSON.stringify(begun) : `${counted(begun.total, 'event')} ${done}.`);
}
