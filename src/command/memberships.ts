import { readFileSync } from 'node:fs';
import type { Environment } from '../config/load-config.js';
import { isWrittenHirerId } from '../hirer-access/hirer-id.js';
import { Misuse, type Output } from '../ops/subscriptions/command-context.js';
import { CommandFault } from './command.js';
import { FLAG, readArguments, TEXT, TEXTS } from './read-arguments.js';
import { openStore } from './store/open-store.js';
import { withQuery, type StoreRoutes } from './store/store-routes.js';
import { MEMBERSHIPS_USAGE, STORE_USAGE } from './usage.js';

const USAGE = MEMBERSHIPS_USAGE + STORE_USAGE;
const MISUSED = 2;

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
  const work = readWork(argv);
  const store = await openStore(work.place, environment);
  try {
    await work.run(store, output);
    return 0;
  } finally {
    await store.close();
  }
}

/** What the command line asks for, before anything is opened. */
interface Work {
  readonly place: { readonly host: string | undefined; readonly port: string | undefined };
  readonly run: (store: StoreRoutes, output: Output) => Promise<void>;
}

function readWork(argv: readonly string[]): Work {
  const { values, positionals } = readArguments(argv, USAGE, {
    user: TEXT,
    hirer: TEXT,
    role: TEXTS,
    issuer: TEXT,
    host: TEXT,
    port: TEXT,
    'dry-run': FLAG,
    replace: FLAG,
    json: FLAG,
  });
  const { user, hirer, issuer, host, port, json, role, replace, 'dry-run': dryRun } = values;
  const place = { host, port };
  const [command, ...operands] = positionals;
  const [first, second] = operands;
  if (command === 'list' && operands.length === 0) {
    return { place, run: (store, output) => list(store, { user, hirer, issuer }, json, output) };
  }
  if (command === 'import' && first !== undefined && operands.length === 1) {
    const csv = readCsv(first);
    return { place, run: (store, output) => importCsv(store, csv, { dryRun, replace, issuer }, output) };
  }
  if (first && second && operands.length === 2 && (command === 'add' || command === 'remove')) {
    const path = `/memberships/${encodeURIComponent(first)}/${encodeURIComponent(second)}`;
    const route = withQuery(path, { issuer });
    if (command === 'remove') return { place, run: (store, output) => remove(store, route, output) };
    if (!isWrittenHirerId(second)) throw new CommandFault(notAnId(second), MISUSED);
    return { place, run: (store, output) => add(store, route, role, output) };
  }
  throw new Misuse(USAGE);
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

async function add(
  store: StoreRoutes,
  route: string,
  roles: readonly string[],
  { print }: Output,
): Promise<void> {
  const answer = await store.ask('PUT', route, roles.length > 0 ? { roles } : undefined);
  const { user, hirerId, roles: granted } = (await answer.json()) as Membership;
  print(`${user} belongs to ${hirerId} as ${granted.join(', ')}.`);
}

async function remove(store: StoreRoutes, route: string, { print }: Output): Promise<void> {
  await store.ask('DELETE', route);
  print('Removed: the user is no longer a member of that hirer.');
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
  const { rows, changed, unchanged, removed } = (await answer.json()) as Record<string, number>;
  const would = dryRun ? 'would be ' : '';
  const others = replace ? `; ${removed} that are not in the file ${would}removed` : '';
  print(`${rows} rows: ${changed} ${would}granted or changed, ${unchanged} as they were${others}.`);
}

function readCsv(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new CommandFault(`${file} cannot be read.`, MISUSED);
  }
}
