import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, globSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { createClient } from 'redis';
import { endsByItself, freePort, programOf } from '../../support/machine.js';

const LOOK_MS = 20;
/** Debian keeps the programs of the server off the path. */
const POSTGRES = globSync('/usr/lib/postgresql/*/bin').sort().at(-1) ?? '';

/** A server of the drill, which can be stopped (SIGSTOP) and killed with all its processes, and started again; it ends with its test. */
export abstract class OwnServer {
  private child: ChildProcess | undefined;

  protected constructor(readonly port: number) {
    endsByItself(() => this.kill());
  }

  /** Resolves once it answers. */
  async start(): Promise<void> {
    const child = (this.child = this.spawn());
    const endWithDrill = (): void => this.signal('SIGKILL');
    process.once('exit', endWithDrill);
    child.once('exit', () => process.off('exit', endWithDrill));
    while (!(await this.answers())) {
      if (child.exitCode !== null) throw new Error(`a server of the drill ended with ${child.exitCode}`);
      await delay(LOOK_MS);
    }
  }

  /** SIGKILL to all its processes at once; resolves when none is left. */
  async kill(): Promise<void> {
    if (this.child?.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    const { pids } = this;
    this.signal('SIGKILL');
    await ended;
    while (pids.some((pid) => existsSync(`/proc/${pid}`))) await delay(LOOK_MS);
  }

  /** To all its processes: those of PostgreSQL are in groups of their own. */
  signal(signal: NodeJS.Signals): void {
    for (const pid of this.pids) {
      try {
        process.kill(pid, signal);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it has just ended
      }
    }
  }

  protected abstract spawn(): ChildProcess;
  protected abstract ask(): Promise<unknown>;

  private get pids(): readonly number[] {
    const parent = this.child!.pid!;
    const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(parent)], { encoding: 'utf8' });
    const ps = stdout.split('\n').map(Number);
    return [parent, ...ps.filter((pid) => pid > 0)];
  }

  private answers(): Promise<boolean> {
    return this.ask().then(
      () => true,
      () => false,
    );
  }
}

/** A PostgreSQL with a folder of its own, under a user of the system that may run one. */
export class PostgresServer extends OwnServer {
  private constructor(
    port: number,
    private readonly data: string,
  ) {
    super(port);
  }

  /** @param folder where its data go; the account that runs it must be able to reach it */
  static async open(folder: string): Promise<PostgresServer> {
    ownByServer(folder);
    const data = join(folder, 'data');
    const options = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale'];
    execFileSync(programOf(join(POSTGRES, 'initdb'), 'postgresql'), ['-D', data, ...options], {
      ...rights(),
      stdio: 'pipe',
    });
    const server = new PostgresServer(await freePort(), data);
    await server.start();
    return server;
  }

  /** @param role that connects; `postgres` may do everything */
  url(database: string, role = 'postgres', port = this.port): string {
    return `postgres://${role}@127.0.0.1:${port}/${database}`;
  }

  /** Runs statements one after the other. */
  async run(...statements: readonly string[]): Promise<void> {
    const client = new pg.Client({ connectionString: this.url('postgres'), connectionTimeoutMillis: 1_000 });
    client.on('error', () => undefined); // rejects, too
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  }

  protected spawn(): ChildProcess {
    const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'shared_buffers=16MB'];
    const args = [
      '-D',
      this.data,
      '-p',
      String(this.port),
      ...settings.flatMap((setting) => ['-c', setting]),
    ];
    return spawn(join(POSTGRES, 'postgres'), args, { ...rights(), cwd: this.data, stdio: 'ignore' });
  }

  protected ask(): Promise<void> {
    return this.run('SELECT 1');
  }
}

/** A Redis that keeps nothing on the disk. */
export class RedisServer extends OwnServer {
  static async open(): Promise<RedisServer> {
    const server = new RedisServer(await freePort());
    await server.start();
    return server;
  }

  async run(...command: readonly string[]): Promise<void> {
    const socket = { host: '127.0.0.1', port: this.port, reconnectStrategy: false } as const;
    const client = createClient({ socket });
    client.on('error', () => undefined); // rejects, too
    await client.connect();
    await client.sendCommand([...command]);
    client.destroy();
  }

  protected spawn(): ChildProcess {
    const args = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    return spawn(programOf('redis-server'), args, { stdio: 'ignore' });
  }

  protected ask(): Promise<void> {
    return this.run('PING');
  }
}

/** Makes a folder that the server may write to, and all above it passable. */
export function ownByServer(folder: string): void {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o755);
  const { uid, gid } = rights();
  if (uid !== undefined) chownSync(folder, uid, gid!);
}

/** PostgreSQL refuses to be run by root. */
function rights(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const idOf = (option: string): number => Number(execFileSync('id', [option, 'postgres']));
  return { uid: idOf('-u'), gid: idOf('-g') };
}
