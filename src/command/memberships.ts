import { readFileSync } from 'node:fs';
import { readMembershipCsv } from '../hirer-access/membership-csv.js';
import { isWrittenHirerId } from '../hirer-access/membership.js';
import type { UserMembership } from '../hirer-access/sources/sql-memberships.js';
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

interface Membership extends UserMembership {
  /** Epoch milliseconds. */
  readonly updatedAt: number;
}

/** `memberships`: lists, adds, removes and imports who belongs to which hirer. */
export const memberships: Run = async (argv, environment, output) => {
  const words = readSubcommand('memberships', argv, FORMS);
  const [first = '', hirer = ''] = words.operands;
  const wanted = words.name === 'import' ? readFile(first, words.values) : [];
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
    else await importCsv(store, wanted, words, output);
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

function routeOf(user: string, hirerId: string, issuer: string | undefined): string {
  return withQuery(`/memberships/${encodeURIComponent(user)}/${encodeURIComponent(hirerId)}`, { issuer });
}

async function add(store: StoreRoutes, words: Words<'add'>, { print }: Output): Promise<void> {
  const [user = '', hirer = ''] = words.operands;
  const { role, issuer } = words.values;
  const body = role.length > 0 ? { roles: role } : undefined;
  const answer = await store.ask('PUT', routeOf(user, hirer, issuer), body);
  const { roles } = (await answer.json()) as Membership;
  print(`${user} belongs to ${hirer} as ${roles.join(', ')}.`);
}

async function remove(store: StoreRoutes, words: Words<'remove'>, { print }: Output): Promise<void> {
  const [user = '', hirer = ''] = words.operands;
  const { issuer } = words.values;
  const found = await store.ask('GET', withQuery('/memberships', { user, hirer, issuer }));
  if (((await found.json()) as { items: Membership[] }).items.length === 0) {
    throw new CommandFault(
      `${user} has no membership of ${hirer}: nothing was removed. "memberships list --hirer ${hirer}" prints who has.`,
    );
  }
  await store.ask('DELETE', routeOf(user, hirer, issuer));
  print(`Removed: ${user} no longer belongs to ${hirer}.`);
}

/** Changes what the file has otherwise; each change is one of the routes, and can be repeated. */
async function importCsv(
  store: StoreRoutes,
  wanted: readonly UserMembership[],
  { values: { issuer, replace, 'dry-run': isDry } }: Words<'import'>,
  { print }: Output,
): Promise<void> {
  const rolesAt = new Map(
    wanted.map(({ user, hirerId, roles }) => [routeOf(user, hirerId, issuer), roles] as const),
  );
  const old = new Map<string, string>();
  for await (const { user, hirerId, roles } of store.list<Membership>('/memberships', { issuer })) {
    old.set(routeOf(user, hirerId, issuer), roles.join(' '));
  }
  const changed = [...rolesAt].filter(([route, roles]) => old.get(route) !== roles.join(' '));
  const removed = replace ? [...old.keys()].filter((route) => !rolesAt.has(route)) : [];
  if (!isDry) {
    for (const [route, roles] of changed) await store.ask('PUT', route, { roles });
    for (const route of removed) await store.ask('DELETE', route);
  }
  const would = isDry ? 'would be ' : '';
  const others = replace ? `; ${removed.length} not in the file ${would}removed` : '';
  const unchanged = rolesAt.size - changed.length;
  print(
    `${counted(wanted.length, 'row')}: ${changed.length} ${would}granted or changed, ${unchanged} unchanged${others}.`,
  );
}

function readFile(file: string, { replace }: Words<'import'>['values']): readonly UserMembership[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new CommandFault(`${file} cannot be read.`, MISUSED);
  }
  const { memberships, faults } = readMembershipCsv(text);
  if (replace && memberships.length === 0) faults.push('has no row, and would remove every membership');
  if (faults.length === 0) return memberships;
  throw new CommandFault(`Nothing was imported. Correct ${file}:\n  ${faults.join('\n  ')}`);
}
