import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, freePort } from '../../support/machine.js';
import { startUpstream } from '../overload/drill.js';
import { AUDIENCE, ISSUER, SECRETS } from '../overload/world.js';
import { startJsonServer } from '../../support/json-server.js';
import type { Program } from '../../support/start-process.js';
import { openTcpGate, type TcpGate } from '../../support/raw-connection.js';
import { Replica } from '../replica.js';
import { mountSmall, unmount } from './disks.js';
import { ownByServer, PostgresServer, RedisServer } from './own-servers.js';

const REPLICAS = 3;
const SMALL_MEGABYTES = 48;
const MEGABYTE = 1_048_576;
/** Connects as it, as the service does: it has no privilege, so a limit of connections holds for it. */
export const ROLE = 'bff';

/** What a replica holds. */
export interface Holdings {
  readonly megabytes: number;
  readonly descriptors: number;
}

class FleetReplica extends Replica {
  async isReady(): Promise<boolean> {
    const readiness = await fetch(`${this.opsUrl}/readyz`)
      .then((answer) => answer.json())
      .catch(() => undefined);
    return (readiness as { status?: string } | undefined)?.status === 'ready';
  }

  /** Linux only. @throws Error with the end of its log, if the replica has ended by itself */
  get holdings(): Holdings {
    if (this.ownEnd !== undefined) throw new Error(this.ownEnd);
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(status)![1]);
    return { megabytes: kilobytes / 1024, descriptors: readdirSync(`/proc/${this.pid}/fd`).length };
  }
}

/** Three replicas, and everything around them, of which anything can be made to fail. */
export interface Stage {
  readonly replicas: readonly FleetReplica[];
  readonly postgres: PostgresServer;
  readonly redis: RedisServer;
  /** Between the replicas and PostgreSQL. */
  readonly databaseGate: TcpGate;
  readonly redisGate: TcpGate;
  /** The folder of the small file system that holds the database. */
  readonly smallDisk: string;
  /** Ids of the events that the sink has. */
  readonly delivered: ReadonlySet<string>;
  close(): Promise<void>;
}

/** What ends the parts that were begun, in their order. */
type Endings = (() => unknown)[];

/** Starts servers, upstream, sink and replicas. Of a stage that cannot be opened, nothing is left. */
export async function openStage(program: Program): Promise<Stage> {
  const endings: Endings = [];
  const close = async (): Promise<void> => {
    for (const end of endings.reverse()) await end();
  };
  try {
    return { ...(await openParts(program, endings)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openParts(program: Program, endings: Endings): Promise<Omit<Stage, 'close'>> {
  const folder = newFolder();
  endings.push(() => rmSync(folder, { recursive: true }));
  ownByServer(folder);
  const smallDisk = join(folder, 'small');
  mountSmall(smallDisk, SMALL_MEGABYTES * MEGABYTE);
  endings.push(() => unmount(smallDisk));
  const postgres = await PostgresServer.open(join(folder, 'postgres'));
  endings.push(() => postgres.kill());
  ownByServer(smallDisk);
  await postgres.run(
    `CREATE ROLE ${ROLE} LOGIN`,
    `CREATE TABLESPACE small LOCATION '${smallDisk}'`,
    `CREATE DATABASE bff OWNER ${ROLE} TABLESPACE small`,
  );
  const redis = await RedisServer.open();
  endings.push(() => redis.kill());
  const databaseGate = await openTcpGate(postgres.port, '127.0.0.1');
  endings.push(() => databaseGate.close());
  const redisGate = await openTcpGate(redis.port, '127.0.0.1');
  endings.push(() => redisGate.close());
  const delivered = new Set<string>();
  const sink = await startJsonServer(({ headers }, response) => {
    delivered.add(String(headers['webhook-id']));
    response.writeHead(204).end();
  });
  endings.push(() => sink.close());
  const upstream = await startUpstream();
  endings.push(() => upstream.child.kill());
  const environment = {
    ...SECRETS,
    HOST: '127.0.0.1',
    DATABASE_URL: postgres.url('bff', ROLE, databaseGate.port),
    REDIS_URL: `redis://127.0.0.1:${redisGate.port}`,
    UPSTREAM_URL: upstream.origin,
    ISSUER_TOKEN_URL: `${upstream.origin}/issuer/token`,
    PARTNER_CLIENT_ID: 'fleet-drill',
    END_USER_ISSUER: ISSUER,
    END_USER_AUDIENCE: AUDIENCE,
    EVENT_SINK_URL: sink.url.href,
    EVENT_SINK_RETRY_SECONDS: Array(20).fill(1).join(),
    LOG_LEVEL: 'info',
  };
  const replicas: FleetReplica[] = [];
  for (let number = 1; number <= REPLICAS; number += 1) {
    const replica = new FleetReplica(environment, await freePort(), await freePort(), program);
    replicas.push(replica);
    endings.push(() => replica.end('SIGKILL'));
    await replica.start();
  }
  return { replicas, postgres, redis, databaseGate, redisGate, smallDisk, delivered };
}
