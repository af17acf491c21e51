import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

// Lists, adds and removes memberships over the ops listener. Runs on its own, from source or compiled: it imports
// nothing of the service, so that it can be handed to the administrators of memberships.

const USAGE = `Memberships of end users, over the ops listener of a running service.

  npm run memberships -- list [--user <sub>] [--hirer <id>]
  npm run memberships -- add <sub> <hirer id> [--role <role>]...
  npm run memberships -- remove <sub> <hirer id>
  npm run memberships -- import <file.csv> [--dry-run]

<sub> is the user's "sub" as the end-user token has it, <hirer id> a whole object identifier, such as
scheme:organization:part:id. Without --role the role is "member"; the roles given replace
any previous ones.

A CSV file has the header user,hirerId,roles and a row for each membership; roles are separated by spaces. It is imported
as a whole or not at all. With --dry-run nothing is changed.

  --issuer <iss>  whose users they are, where END_USER_ISSUER names several; else the first
  --host <host>   ops listener, else OPS_HOST, else 127.0.0.1
  --port <port>   ops listener, else OPS_PORT, else 3001

The ops token is read from OPS_TOKEN, or from the file OPS_TOKEN_FILE names; never from the command line, which other
users of the machine can see.
`;

const FAILED = 1;
const MISUSED = 2;
const TIMEOUT_MS = 10_000;
/** Parts delimited by colons, a scheme first (interface 2.5). `hirer-id.ts` asks the same of the rows of a file. */
const HIRER_ID = /^[^\s:]+(:[^\s:]+)+$/;

interface Page {
  items: { user: string; hirerId: string; roles: string[]; updatedAt: number }[];
  next: string | null;
}

class Failure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

async function run(): Promise<void> {
  const { values, positionals } = readArguments();
  const [command, ...operands] = positionals;
  if (values.help) return void process.stdout.write(USAGE);
  const ops = createClient(values.host, values.port, values.issuer);
  if (command === 'list' && operands.length === 0) return list(ops, values.user, values.hirer);
  if (command === 'import' && operands.length === 1) return importFile(ops, operands[0]!, values['dry-run']);
  const [user, hirerId] = operands;
  if (user && hirerId && operands.length === 2) {
    const path = `/memberships/${encodeURIComponent(user)}/${encodeURIComponent(hirerId)}`;
    if (command === 'add' && !HIRER_ID.test(hirerId)) throw new Failure(notAnId(hirerId), MISUSED);
    if (command === 'add') return add(ops, path, values.role);
    if (command === 'remove') return remove(ops, path);
  }
  throw new Failure(USAGE, MISUSED);
}

function readArguments() {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        user: text,
        hirer: text,
        role: { type: 'string', multiple: true },
        issuer: text,
        host: text,
        port: text,
        'dry-run': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new Failure(`${(error as Error).message}\n\n${USAGE}`, MISUSED);
  }
}

function notAnId(hirerId: string): string {
  return `${hirerId} is not a whole object identifier, such as scheme:organization:part:id. Nothing was changed.`;
}

type Client = (method: string, path: string, body?: unknown) => Promise<Response>;

async function list(ops: Client, user?: string, hirer?: string): Promise<void> {
  const query = new URLSearchParams();
  if (user !== undefined) query.set('user', user);
  if (hirer !== undefined) query.set('hirer', hirer);
  let next: string | null = '';
  let count = 0;
  while (next !== null) {
    if (next !== '') query.set('after', next);
    const page = (await (await ops('GET', `/memberships?${query.toString()}`)).json()) as Page;
    for (const { user, hirerId, roles, updatedAt } of page.items) {
      const changed = new Date(updatedAt).toISOString();
      process.stdout.write(`${user}\t${hirerId}\t${roles.join(' ')}\t${changed}\n`);
    }
    count += page.items.length;
    next = page.next;
  }
  if (count === 0) process.stderr.write('No memberships.\n');
}

async function add(ops: Client, path: string, roles: string[] | undefined): Promise<void> {
  const answer = await ops('PUT', path, roles && { roles });
  const { user, hirerId, roles: granted } = (await answer.json()) as Page['items'][number];
  process.stdout.write(`${user} belongs to ${hirerId} as ${granted.join(', ')}.\n`);
}

async function remove(ops: Client, path: string): Promise<void> {
  await ops('DELETE', path);
  process.stdout.write('Removed: the user is no longer a member of that hirer.\n');
}

async function importFile(ops: Client, file: string, dryRun: boolean): Promise<void> {
  const answer = await ops('POST', `/memberships/import?dryRun=${dryRun}`, new Csv(readCsv(file)));
  const { rows, changed, unchanged } = (await answer.json()) as Record<string, number>;
  const done = dryRun ? 'would be granted or changed' : 'granted or changed';
  process.stdout.write(`${rows} rows: ${changed} ${done}, ${unchanged} as they were.\n`);
}

class Csv {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

function readCsv(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new Failure(`${file} cannot be read.`, MISUSED);
  }
}

function createClient(
  hostFlag: string | undefined,
  portFlag: string | undefined,
  issuer: string | undefined,
): Client {
  const { OPS_HOST, OPS_PORT } = process.env;
  const host = reachable(hostFlag ?? (OPS_HOST || '127.0.0.1'));
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${portFlag ?? (OPS_PORT || '3001')}`;
  const token = readToken();
  return async (method, path, body) => {
    const headers: Record<string, string> = {};
    if (token) headers['authorization'] = `Bearer ${token}`;
    const csv = body instanceof Csv;
    if (body !== undefined) headers['content-type'] = csv ? 'text/csv' : 'application/json';
    const request = {
      method,
      headers,
      ...(body !== undefined && { body: csv ? body.text : JSON.stringify(body) }),
    };
    const answer = await send(origin, issuer === undefined ? path : withIssuer(path, issuer), request);
    if (!answer.ok) throw new Failure(await explain(answer), FAILED);
    return answer;
  };
}

function withIssuer(path: string, issuer: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}issuer=${encodeURIComponent(issuer)}`;
}

/** A listener that is bound to every address is reached by the loopback one. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

function readToken(): string | undefined {
  const { OPS_TOKEN, OPS_TOKEN_FILE } = process.env;
  if (OPS_TOKEN || !OPS_TOKEN_FILE) return OPS_TOKEN;
  try {
    return readFileSync(OPS_TOKEN_FILE, 'utf8').trim();
  } catch {
    throw new Failure('OPS_TOKEN_FILE cannot be read.', MISUSED);
  }
}

async function send(origin: string, path: string, request: RequestInit): Promise<Response> {
  if (!URL.canParse(origin)) throw new Failure(`${origin} is not an address.`, MISUSED);
  try {
    return await fetch(origin + path, {
      ...request,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch {
    throw new Failure(
      `No answer from ${origin}. Is the service running, and is that its ops listener?`,
      FAILED,
    );
  }
}

async function explain(answer: Response): Promise<string> {
  const problem = (await answer.json().catch(() => ({}))) as {
    detail?: string;
    errors?: { field: string; message: string }[];
  };
  if (answer.status === 401) {
    return 'Refused: the ops token is missing or wrong. Set OPS_TOKEN or OPS_TOKEN_FILE.';
  }
  const faults = (problem.errors ?? []).map(({ field, message }) => `\n  ${field}: ${message}`);
  return `Refused with status ${answer.status}: ${problem.detail ?? 'no reason given'}${faults.join('')}`;
}

try {
  await run();
} catch (error) {
  process.stderr.write(`${(error as Error).message.trimEnd()}\n`);
  process.exitCode = error instanceof Failure ? error.exitCode : FAILED;
}
