import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { newFolder } from '../../support/folders.js';
import { freePort, Victim } from '../../support/server-process.js';
import { startIssuer, rsaKeys } from '../../support/sign-token.js';
import { startPlayground, type Playground } from '../../../playground/src/playground.js';
import { builtService } from '../../support/start-process.js';
import { json } from '../../support/json-server.js';
import { TEST_KEYS } from '../../support/start-stack.js';
import { Candidates, type SentApplication } from './candidates.js';

const SINK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const WEBHOOK_SECRET = 'secret-of-the-upstream';
const PARTNER = {
  clientId: 'objects-drill',
  clientSecret: 'partner-secret-of-the-drill',
  audience: 'urn:drill',
};
const MACHINE = 'drill-backend';
/** Between the start of one process and the death of the next. */
const LIFE_MS = [300, 1_500] as const;
const SETTLE_MS_MAX = 120_000;
const LOOK_MS = 200;

/** What to run, how often to kill it, and how many applications there are. */
export interface DrillOptions {
  /** A folder of `examples/backend` that finds its packages. */
  readonly backend: string;
  readonly applications: number;
  /** Kills of each of the two. */
  readonly kills: number;
  /** `DATABASE_URL`, or nothing for the embedded store. */
  readonly settings: Readonly<Record<string, string>>;
}

/** The result of a drill; all of it but the counts of what went right is to be 0. */
export interface DrillReport {
  readonly applied: number;
  readonly kills: Readonly<Record<string, number>>;
  readonly seconds: number;
  /** Rows of the back end's table. */
  readonly rows: number;
  /** Applications without a row. */
  readonly missing: number;
  /** Rows beyond the first of an application, or of none. */
  readonly surplus: number;
  /** Rows that say something else than the candidate sent. */
  readonly wrong: number;
  /** Files that are on the disk as they were sent. */
  readonly files: number;
  readonly wrongFiles: number;
  /** Files in the folder that belong to nothing. */
  readonly strayFiles: number;
}

interface Row {
  readonly id: string;
  readonly email: string;
  readonly files: readonly { readonly name: string; readonly path: string }[];
}

/**
 * Kills service and back end (SIGKILL) in turn while candidates apply, and looks for each application in the
 * back end's table, and for its files on the disk. Nothing but the service holds the partner's credentials.
 */
export async function runObjectsDrill(options: DrillOptions): Promise<DrillReport> {
  const folder = newFolder();
  const issuer = await startIssuer('RS256', rsaKeys());
  const { answer } = issuer.server;
  const grant = () => {
    const token = issuer.sign({ sub: MACHINE, exp: Math.floor(Date.now() / 1000) + 3_600 });
    return json({ access_token: token, expires_in: 3_600, token_type: 'Bearer' });
  };
  issuer.server.answer = (received, response) =>
    (received.url === '/token' ? grant() : answer)(received, response);
  const playground = await startPlayground({
    port: 0,
    size: 5,
    client: PARTNER,
    webhookSecret: WEBHOOK_SECRET,
    delivery: { retryDelaysMs: Array(100).fill(1_000) },
  });
  const victims = await prepare(options, folder, playground, issuer.url, `${issuer.server.url.href}token`);
  const { service, backend } = victims;
  try {
    await Promise.all([service.start(), backend.start()]);
    playground.subscribe({ url: `${service.command.url}/webhooks` });
    const startedAt = Date.now();
    const candidates = new Candidates(playground);
    await Promise.all([
      candidates.apply(options.applications),
      killInTurn(Object.values(victims), options.kills),
    ]);
    await settle(backend, candidates.applied());
    const seconds = (Date.now() - startedAt) / 1000;
    const kills = Object.fromEntries(
      Object.entries(victims).map(([name, { kills: count }]) => [name, count]),
    );
    const found = await compare(backend, playground, candidates.sent(), join(folder, 'backend'));
    return { applied: candidates.applied().length, kills, seconds, ...found };
  } finally {
    await Promise.all(Object.values(victims).map((victim) => victim.end('SIGKILL')));
    await playground.close();
    await issuer.server.close();
    rmSync(folder, { recursive: true });
  }
}

interface Victims {
  readonly service: Victim;
  readonly backend: Victim;
}

async function prepare(
  options: DrillOptions,
  folder: string,
  { settings }: Playground,
  issuer: string,
  tokenUrl: string,
): Promise<Victims> {
  const ports = await Promise.all(Array.from({ length: 3 }, freePort));
  const [port, opsPort, sinkPort] = ports.map(String);
  const at = (one = ''): string => `http://127.0.0.1:${one}`;
  return {
    service: new Victim({
      name: 'service',
      args: [join(builtService(), 'bundle/main.js')],
      url: at(port),
      environment: {
        ...settings,
        END_USER_JWKS_URL: '',
        ...TEST_KEYS,
        DATA_DIR: join(folder, 'service'),
        ...options.settings,
        HOST: '127.0.0.1',
        PORT: port,
        OPS_PORT: opsPort,
        END_USER_ISSUER: issuer,
        END_USER_AUDIENCE: 'partner-bff',
        MACHINE_SUBJECTS: MACHINE,
        WEBHOOK_SECRETS: WEBHOOK_SECRET,
        EVENT_SINK_URL: `${at(sinkPort)}/events`,
        EVENT_SINK_SECRET: SINK_SECRET,
        EVENT_SINK_RETRY_SECONDS: Array(50).fill(1).join(),
        LOG_LEVEL: 'error',
        SHUTDOWN_DELAY_MS: '0',
      },
    }),
    backend: new Victim({
      name: 'back end',
      args: ['src/main.ts'],
      cwd: options.backend,
      url: `${at(sinkPort)}/`,
      environment: {
        BFF_URL: at(port),
        TOKEN_URL: tokenUrl,
        CLIENT_ID: MACHINE,
        CLIENT_SECRET: randomBytes(16).toString('hex'),
        EVENT_SINK_SECRET: SINK_SECRET,
        DATA_DIR: join(folder, 'backend'),
        PORT: sinkPort,
      },
    }),
  };
}

async function killInTurn(victims: readonly Victim[], times: number): Promise<void> {
  for (let round = 0; round < times; round += 1) {
    for (const victim of victims) {
      const [least, most] = LIFE_MS;
      await delay(least + Math.random() * (most - least));
      await victim.killAndStart();
    }
  }
}

/** Waits until each application has a row, and no longer than the patience. */
async function settle(backend: Victim, ids: readonly string[]): Promise<void> {
  const end = Date.now() + SETTLE_MS_MAX;
  while (Date.now() < end) {
    const rows = new Set((await rowsOf(backend)).map(({ id }) => id));
    if (ids.every((id) => rows.has(id))) return;
    await delay(LOOK_MS);
  }
}

async function rowsOf(backend: Victim): Promise<readonly Row[]> {
  const answer = await fetch(`${backend.command.url}applications`).catch((cause: unknown) => {
    throw new Error(`the back end does not answer: ${backend.output}`, { cause });
  });
  return (await answer.json()) as Row[];
}

type Found = Omit<DrillReport, 'applied' | 'kills' | 'seconds'>;

async function compare(
  backend: Victim,
  { upstreamUrl, settings }: Playground,
  sent: readonly SentApplication[],
  folder: string,
): Promise<Found> {
  const rows = await rowsOf(backend);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const found = sent.flatMap((application) => {
    const row = byId.get(application.id);
    return row ? [{ application, row }] : [];
  });
  const token = await partnerToken(settings['ISSUER_TOKEN_URL']!);
  const saved = new Set<string>();
  let [files, wrongFiles] = [0, 0];
  for (const { application, row } of found) {
    for (const { fileName, path } of application.attachments) {
      const kept = row.files.find(({ name }) => name === fileName);
      const url = upstreamUrl + path;
      if (kept && (await isSame(kept.path, url, token))) files += 1;
      else wrongFiles += 1;
      if (kept) saved.add(kept.path);
    }
  }
  const inFolder = readdirSync(folder).filter((name) => !name.startsWith('applications.db'));
  return {
    rows: rows.length,
    missing: sent.length - found.length,
    surplus: rows.length - found.length,
    wrong: found.filter(({ application, row }) => !isRowOf(row, application)).length,
    files,
    wrongFiles,
    strayFiles: inFolder.length - saved.size,
  };
}

function isRowOf(row: Row, { email, attachments }: SentApplication): boolean {
  return row.email === email && row.files.length === attachments.length;
}

async function isSame(path: string, url: string, token: string): Promise<boolean> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  const bytes = Buffer.from(await response.arrayBuffer());
  return response.ok && bytes.equals(readFileSync(path));
}

async function partnerToken(url: string): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_id: PARTNER.clientId,
      client_secret: PARTNER.clientSecret,
      grant_type: 'client_credentials',
      audience: PARTNER.audience,
    }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}
