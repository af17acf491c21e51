import { readFileSync } from 'node:fs';
import { isWrittenHirerId } from '../hirer-access/membership.js';
import { CommandFault, counted, MISUSED, type Output, type Run } from './command.js';
import { FLAG, readSubcommand, TEXT, TEXTS, type Subcommand } from './read-arguments.js';
import { withStore } from './store/running-service.js';
import { withQuery, type StoreRoutes } from './store/store-routes.js';

const OPTIONS = { issuer: TEXT, host: TEXT, port: TEXT } as const;
const ONE = ['<sub>', '<hirer id>'] as const;
const FORMS = {
  list: { options: { ...OPTIONS, user: TEXT, hirer: TEXT, json: FLAG } },
  add: { operands: ONE, options: { ...OPTIONS, role: TEXTS } },
  remove: { operands: ONE, options: OPTIONS },
  import: { operands: ['<file.csv>'], options: { ...OPTIONS, replace: FLAG, 'dry-run': FLAG } },
} as const;

type Words<Name> = Extract<Subcommand<typeof FORMS>, { name: Name }>;

interface Membership {
  readonly user: string;
  readonly hirerId: string;
  readonly roles: readonly string[];
  /** Epoch milliseconds. */
  readonly updatedAt: number;
}

/** `memberships`: lists, adds, removes and imports who belongs to which hirer. */
export const memberships: Run = async (argv, environment, output) => {
  const words = readSubcommand('memberships', argv, FORMS);
  const [first = '', hirer = ''] = words.operands;
  const csv = words.name === 'import' ? readCsv(first) : '';
  if (words.name === 'add' && !isWrittenHirerId(hirer)) {
    throw new CommandFault(
      `${words.operands[1]} is not a whole object identifier, such as scheme:organization:part:id. Nothing was changed.`,
      MISUSED,
    );
  }
  return withStore(words.values, environment, async (store) => {
    if (words.name === 'list') await list(store, words, output);
    else if (words.name === 'add') await add(store, words, output);
    else if (words.name === 'remove') await remove(store, words, output);
    else await importCsv(store, csv, words, output);
    return 0;
  });
};

async function list(
  store: StoreRoutes,
  { values: { user, hirer, issuer, json } }: Words<'list'>,
  { print, warn }: Output,
): Promise<void> {
  const found: Membership[] = [];
  for await (const one of store.list<Membership>('/memberships', { user, hirer, issuer })) {
    found.push(one);
    const { hirerId, roles, updatedAt } = one;
    if (!json) print([one.user, hirerId, roles.join(' '), new Date(updatedAt).toISOString()].join('\t'));
  }
  if (json) print(JSON.stringify(found, null, 2));
  else if (found.length === 0) warn('No memberships.');
}

function routeOf({ operands: [user = '', hirer = ''], values: { issuer } }: Words<'add' | 'remove'>): string {
  return withQuery(`/memberships/${encodeURIComponent(user)}/${encodeURIComponent(hirer)}`, { issuer });
}

async function add(store: StoreRoutes, words: Words<'add'>, { print }: Output): Promise<void> {
  const { role } = words.values;
  const answer = await store.ask('PUT', routeOf(words), role.length > 0 ? { roles: role } : undefined);
  const { user, hirerId, roles } = (await answer.json()) as Membership;
  print(`${user} belongs to ${hirerId} as ${roles.join(', ')}.`);
}

async function remove(store: StoreRoutes, words: Words<'remove'>, { print }: Output): Promise<void> {
  const [user, hirer] = words.operands;
  const { issuer } = words.values;
  const found = await store.ask('GET', withQuery('/memberships', { user, hirer, issuer }));
  if (((await found.json()) as { items: Membership[] }).items.length === 0) {
    throw new CommandFault(
      `${user} has no membership of ${hirer}: nothing was removed. "memberships list --hirer ${hirer}" prints who has.`,
    );
  }
  await store.ask('DELETE', routeOf(words));
  print(`Removed: ${user} no longer belongs to ${hirer}.`);
}

async function importCsv(
  store: StoreRoutes,
  csv: string,
  { values: { issuer, replace, 'dry-run': dryRun } }: Words<'import'>,
  { print }: Output,
): Promise<void> {
  const query = { dryRun: String(dryRun), replace: replace ? 'true' : undefined, issuer };
  const route = withQuery('/memberships/import', query);
  const answer = await store.ask('POST', route, csv);
  const { rows = 0, changed, unchanged, removed } = (await answer.json()) as Record<string, number>;
  const would = dryRun ? 'would be ' : '';
  const others = replace ? `; ${removed} not in the file ${would}removed` : '';
  print(`${counted(rows, 'row')}: ${changed} ${would}granted or changed, ${unchanged} unchanged${others}.`);
}

function readCsv(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new CommandFault(`${file} cannot be read.`, MISUSED);
  }
}
