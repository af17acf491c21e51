import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, programOf } from '../../support/server-process.js';
import { openNats, openRabbitMq, type TestBroker } from '../../support/test-brokers.js';

const LOOK_MS = 50;
/** The name of stream, exchange and queue. */
const STORE = 'drill';
/** Debian's command on the path changes to a user of its own. */
const RABBITMQ = existsSync('/usr/lib/rabbitmq/bin/rabbitmq-server')
  ? '/usr/lib/rabbitmq/bin/rabbitmq-server'
  : 'rabbitmq-server';

interface BrokerCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly port: number;
}

interface BrokerServer {
  readonly name: 'NATS' | 'RabbitMQ';
  start(): Promise<BrokerProcess>;
}

/** The brokers, of which each start fails where its server is not installed. */
export const BROKER_SERVERS: readonly BrokerServer[] = [
  { name: 'NATS', start: startNats },
  { name: 'RabbitMQ', start: startRabbitMq },
];

/** A broker with a folder of its own, which can be killed and started again on what it has stored. */
export class BrokerProcess {
  private child: ChildProcess | undefined;

  constructor(
    private readonly command: BrokerCommand,
    private readonly openStore: () => Promise<TestBroker>,
  ) {}

  get port(): number {
    return this.command.port;
  }

  /** The stream, or the exchange with its queue, on it. */
  open(): Promise<TestBroker> {
    return this.openStore();
  }

  async start(): Promise<void> {
    const { program, args, environment, port } = this.command;
    const env = { PATH: process.env['PATH'], ...environment };
    this.child = spawn(program, args, { env, detached: true, stdio: 'ignore' });
    while (!(await accepts(port))) {
      if (this.child.exitCode !== null) throw new Error(`${program} does not start`);
      await delay(LOOK_MS);
    }
  }

  /** Runs the command by which operators control RabbitMQ. */
  control(...args: readonly string[]): void {
    const { program, environment } = this.command;
    const name = environment['RABBITMQ_NODENAME']!;
    execFileSync(program.replace('-server', 'ctl'), ['-n', name, ...args], {
      env: { PATH: process.env['PATH'], ...environment },
    });
  }

  /** SIGKILL to it and all that it started. */
  async kill(): Promise<void> {
    const ended = once(this.child!, 'exit');
    process.kill(-this.child!.pid!, 'SIGKILL');
    await ended;
    while (await accepts(this.port)) await delay(LOOK_MS); // its children end a little later
  }
}

async function startNats(): Promise<BrokerProcess> {
  const port = await freePort();
  const args = ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', mkdtempSync(join(tmpdir(), 'nats-'))];
  const command = { program: programOf('nats-server'), args, environment: {}, port };
  return started(command, () => openNats(`nats://127.0.0.1:${port}`, STORE));
}

async function startRabbitMq(): Promise<BrokerProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'rabbitmq-'));
  const [port, distributionPort] = [await freePort(), await freePort()];
  writeFileSync(join(folder, 'rabbitmq.conf'), `listeners.tcp.1 = 127.0.0.1:${port}\n`);
  writeFileSync(join(folder, 'enabled_plugins'), '[].');
  const environment = {
    HOME: folder,
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_NODENAME: `drill-${port}@localhost`,
    RABBITMQ_DIST_PORT: String(distributionPort),
    RABBITMQ_MNESIA_BASE: join(folder, 'mnesia'),
    RABBITMQ_LOG_BASE: join(folder, 'log'),
    RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq.conf'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'enabled_plugins'),
    RABBITMQ_PID_FILE: join(folder, 'pid'),
  };
  const url = `amqp://guest:guest@127.0.0.1:${port}`;
  return started({ program: programOf(RABBITMQ, 'rabbitmq-server'), args: [], environment, port }, () =>
    openRabbitMq(url, STORE),
  );
}

async function started(command: BrokerCommand, openStore: () => Promise<TestBroker>): Promise<BrokerProcess> {
  const broker = new BrokerProcess(command, openStore);
  await broker.start();
  return broker;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false)).once('connect', () => resolve(true));
    socket.once('connect', () => socket.destroy());
  });
}
