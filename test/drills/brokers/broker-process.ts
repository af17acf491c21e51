import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { newFolder, freePort, programOf } from '../../support/machine.js';
import { openNats, openRabbitMq, type TestBroker } from '../../support/test-brokers.js';
import { OwnServer } from '../fleet/own-servers.js';

/** The name of stream, exchange and queue. */
const STORE = 'drill';
/** Debian's command on the path changes to a user of its own. */
const RABBITMQ = existsSync('/usr/lib/rabbitmq/bin/rabbitmq-server')
  ? '/usr/lib/rabbitmq/bin/rabbitmq-server'
  : 'rabbitmq-server';

/** A broker with a folder of its own, which can be killed and started again on what it has stored. */
export abstract class BrokerProcess extends OwnServer {
  /** The stream, or the exchange with its queue, on it. @param readBefore messages of the stream that are not read again */
  abstract open(readBefore?: number): Promise<TestBroker>;

  protected ask(): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.port, '127.0.0.1');
      socket.once('error', reject).once('connect', () => {
        socket.destroy();
        resolve();
      });
    });
  }
}

class Nats extends BrokerProcess {
  private readonly folder = newFolder();

  static async start(): Promise<Nats> {
    const broker = new Nats(await freePort());
    await broker.start();
    return broker;
  }

  open(readBefore?: number): Promise<TestBroker> {
    return openNats(`nats://127.0.0.1:${this.port}`, STORE, readBefore);
  }

  protected spawn(): ChildProcess {
    const args = ['-a', '127.0.0.1', '-p', String(this.port), '-js', '-sd', this.folder];
    return spawn(programOf('nats-server'), args, { stdio: 'ignore' });
  }
}

/** A RabbitMQ, with the command by which operators control it. */
export class RabbitMq extends BrokerProcess {
  private readonly environment: Readonly<Record<string, string | undefined>>;

  static async start(): Promise<RabbitMq> {
    const broker = new RabbitMq(await freePort(), await freePort());
    await broker.start();
    return broker;
  }

  private constructor(port: number, distributionPort: number) {
    super(port);
    const folder = newFolder();
    writeFileSync(join(folder, 'rabbitmq.conf'), `listeners.tcp.1 = 127.0.0.1:${port}\n`);
    writeFileSync(join(folder, 'enabled_plugins'), '[].');
    this.environment = {
      PATH: process.env['PATH'],
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
  }

  open(): Promise<TestBroker> {
    return openRabbitMq(`amqp://guest:guest@127.0.0.1:${this.port}`, STORE);
  }

  control(...args: readonly string[]): void {
    const name = this.environment['RABBITMQ_NODENAME']!;
    execFileSync(RABBITMQ.replace('-server', 'ctl'), ['-n', name, ...args], { env: this.environment });
  }

  protected spawn(): ChildProcess {
    const program = programOf(RABBITMQ, 'rabbitmq-server');
    return spawn(program, [], { env: this.environment, stdio: 'ignore' });
  }
}

/** The brokers, of which each start fails where its server is not installed. */
export const BROKER_SERVERS = [
  { name: 'NATS', start: (): Promise<BrokerProcess> => Nats.start() },
  { name: 'RabbitMQ', start: (): Promise<BrokerProcess> => RabbitMq.start() },
];
