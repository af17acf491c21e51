import { readFileSync } from 'node:fs';
import type { Environment } from '../config/load-config.js';
import { isWrittenHirerId } from '../hirer-access/membership.js';
import { CommandFault, counted, MISUSED, type Output } from './command.js';
import { FLAG, readSubcommand, TEXT, TEXTS, type Subcommand } from './read-arguments.js';
import { openStore } from './store/open-store.js';
import { withQuery, type StoreRoutes } from './store/store-routes.js';

const OPTIONS = { issuer: TEXT, host: TEXT, port: TEXT } as const;
const ONE = ['<sub>', '<hirer id>'] as const;
const FORMS = {
  list: { options: { ...OPTIONS, user: TEXT, hirer: TEXT, json: FLAG } },
  add: { operands: ONE, options: { ...OPTIONS, role: TEXTS } },
  remove: { operands: ONE, options: OPTIONS },
  import: { operands: ['<file.csv>'], options: { ...OPTIONS, replace: FLAG, 'dry-run': FLAG } },
} as const;

interface Membership {
  readonly user: string;
  readonly hirerId: string;
  readonly roles: readonly string[];
  /** Epoch milliseconds. */
  readonly updatedAt: number;
}

/** `memberships`: lists, adds, removes and imports who belongs to which hirer. */
export async function memberships(
  argv: readonly string[],
  environment: Environment,
  output: Output,
): Promise<number> {
  const words = readSubcommand('memberships', argv, FORMS);
  const { host, port } = words.values;
  const run = readWork(words);
  const store = await openStore({ host, port }, environment);
  try {
    await run(store, output);
    return 0;
  } finally {
    await store.close();
  }
}

type Work = (store: StoreRoutes, output: Output) => Promise<void>;

/** What the command line asks for, before anything is opened. */
function readWork(words: Subcommand<typeof FORMS>): Work {
  const { issuer } = words.values;
  const [user = '', hirer = ''] = words.operands;
  switch (words.name) {
    case 'list': {
      const { json, ...filter } = words.values;
      return (store, output) => list(store, { user: filter.user, hirer: filter.hirer, issuer }, json, output);
    }
    case 'import': {
      const { replace, 'dry-run': dryRun } = words.values;
      const csv = readCsv(user);
      return (store, output) => importCsv(store, csv, { dryRun, replace, issuer }, output);
    }
    case 'add': {
      const { role } = words.values;
      if (!isWrittenHirerId(hirer)) throw new CommandFault(notAnId(hirer), MISUSED);
      return (store, output) => add(store, { user, hirer, issuer }, role, output);
    }
    case 'remove':
      return (store, output) => remove(store, { user, hirer, issuer }, output);
  }
}

function notAnId(hirerId: string): string {
  return `${hirerId} is not a whole object identifier, such as scheme:organization:part:id. Nothing was changed.`;
}

async function list(
  store: StoreRoutes,
  query: Readonly<Record<string, string | undefined>>,
  json: boolean,
  { print, warn }: Output,
): Promise<void> {
  const found: Membership[] = [];
  for await (const one of store.list<Membership>('/memberships', query)) {
    found.push(one);
    const { user, hirerId, roles, updatedAt } = one;
    if (!json) print([user, hirerId, roles.join(' '), new Date(updatedAt).toISOString()].join('\t'));
  }
  if (json) print(JSON.stringify(found, null, 2));
  else if (found.length === 0) warn('No memberships.');
}

/** Whose membership of which hirer. */
interface Place {
  readonly user: string;
  readonly hirer: string;
  readonly issuer: string | undefined;
}

function routeOf({ user, hirer, issuer }: Place): string {
  return withQuery(`/memberships/${encodeURIComponent(user)}/${encodeURIComponent(hirer)}`, { issuer });
}

async function find(store: StoreRoutes, place: Place): Promise<Membership | undefined> {
  const answer = await store.ask('GET', withQuery('/memberships', { ...place }));
  return ((await answer.json()) as { items: Membership[] }).items[0];
}

async function add(
  store: StoreRoutes,
  place: Place,
  roles: readonly string[],
  { print }: Output,
): Promise<void> {
  const before = await find(store, place);
  const answer = await store.ask('PUT', routeOf(place), roles.length > 0 ? { roles } : undefined);
  const { user, hirerId, roles: granted } = (await answer.json()) as Membership;
  const isSame = before !== undefined && String([...before.roles].sort()) === String([...granted].sort());
  print(`${user} ${isSame ? 'already belongs' : 'belongs'} to ${hirerId} as ${granted.join(', ')}.`);
}

async function remove(store: StoreRoutes, place: Place, { print }: Output): Promise<void> {
  const { user, hirer } = place;
  if ((await find(store, place)) === undefined) {
    throw new CommandFault(
      `${user} has no membership of ${hirer}: nothing was removed. "memberships list --hirer ${hirer}" prints who has.`,
    );
  }
  await store.ask('DELETE', routeOf(place));
  print(`Removed: ${user} no longer belongs to ${hirer}.`);
}

interface ImportOptions {
  readonly dryRun: boolean;
  readonly replace: boolean;
  readonly issuer: string | undefined;
}

async function importCsv(
  store: StoreRoutes,
  text: string,
  { dryRun, replace, issuer }: ImportOptions,
  { print }: Output,
): Promise<void> {
  const query = { dryRun: String(dryRun), replace: replace ? 'true' : undefined, issuer };
  const route = withQuery('/memberships/import', query);
  const answer = await store.ask('POST', route, { type: 'text/csv', text });
  const { rows = 0, changed, unchanged, removed } = (await answer.json()) as Record<string, number>;
  const would = dryRun ? 'would be ' : '';
  const others = replace ? `; ${removed} not in the file ${would}removed` : '';
  print(
    `${counted(rows, 'row')}: ${changed} ${would}granted or changed, ${unchanged} as they were${others}.`,
  );
}

function readCsv(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new CommandFault(`${file} cannot be read.`, MISUSED);
  }
}
