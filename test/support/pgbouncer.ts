import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, chmodSync, constants, mkdtempSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { until } from './until.js';

const FILE = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'pgbouncer'))
  .find(isExecutable);

/** True if the program is installed. */
export const HAS_PGBOUNCER = FILE !== undefined;

/** A PgBouncer in front of a server. */
export interface Pooler {
  /** The URL that leads through it to the database of `url`. */
  through(url: string): string;
  /** Ends it, and with it every connection. */
  stop(): Promise<void>;
  /** Starts it again, on the same port. */
  start(): Promise<void>;
}

/** Starts PgBouncer in front of the server of `url`, with these lines in its file besides. */
export async function startPgbouncer(url: string, ...settings: readonly string[]): Promise<Pooler> {
  const port = await freePort();
  const file = configure(new URL(url), port, settings);
  let child: ChildProcess;
  const start = async (): Promise<void> => {
    const asRoot = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
    child = spawn(FILE!, ['-q', ...asRoot, file], { stdio: 'ignore' });
    await until(() => answers(port));
  };
  await start();
  return {
    start,
    through: (to) => {
      const through = new URL(to);
      [through.hostname, through.port] = ['127.0.0.1', String(port)];
      return through.href;
    },
    stop: async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

function configure(
  { hostname, port, username, password }: URL,
  ownPort: number,
  settings: readonly string[],
) {
  const server = [
    `host=${hostname} port=${port || 5432} user=${decodeURIComponent(username)}`,
    ...(password ? [`password=${decodeURIComponent(password)}`] : []),
  ].join(' ');
  const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
  chmodSync(folder, 0o755); // it gives up the rights of root before it reads its file
  const file = join(folder, 'pgbouncer.ini');
  const lines = [
    ...['[databases]', `* = ${server}`, '[pgbouncer]', 'listen_addr = 127.0.0.1', `listen_port = ${ownPort}`],
    ...['unix_socket_dir =', 'auth_type = any', 'server_connect_timeout = 2', ...settings],
  ];
  writeFileSync(file, lines.join('\n'), { mode: 0o644 });
  return file;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket.destroy() !== undefined));
    socket.once('error', () => resolve(false));
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
