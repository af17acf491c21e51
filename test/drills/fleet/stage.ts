import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endsByItself, freePort, newFolder } from '../../support/machine.js';
import { startUpstream } from '../overload/drill.js';
import { AUDIENCE, ISSUER, SECRETS } from '../overload/world.js';
import { startJsonServer } from '../../support/json-server.js';
import type { Program } from '../../support/start-process.js';
import { openTcpGate } from '../../support/raw-connection.js';
import { Replica } from '../replica.js';
import { mountSmall, unmount } from './disks.js';
import { ownByServer, PostgresServer, RedisServer } from './own-servers.js';

const REPLICAS = 3;
const SMALL_MEGABYTES = 48;
const MEGABYTE = 1_048_576;
/** Connects as it, as the service does: it has no privilege, so a limit of connections holds for it. */
export const ROLE = 'bff';

class FleetReplica extends Replica {
  async isReady(): Promise<boolean> {
    const readiness = await fetch(`${this.opsUrl}/readyz`)
      .then((answer) => answer.json())
      .catch(() => undefined);
    return (readiness as { status?: string } | undefined)?.status === 'ready';
  }

  /** Linux only. @throws Error with the end of its log, if the replica has ended by itself */
  get holdings() {
    if (this.ownEnd !== undefined) throw new Error(this.ownEnd);
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(status)![1]);
    return { megabytes: kilobytes / 1024, descriptors: readdirSync(`/proc/${this.pid}/fd`).length };
  }
}

/** Three replicas, and everything around them, of which anything can be made to fail. */
export type Stage = Awaited<ReturnType<typeof openStage>>;

/** Starts servers, upstream, sink and replicas, which end with the test. */
export async function openStage(program: Program) {
  const folder = newFolder();
  ownByServer(folder);
  const smallDisk = join(folder, 'small');
  mountSmall(smallDisk, SMALL_MEGABYTES * MEGABYTE);
  endsByItself(() => unmount(smallDisk));
  const postgres = await PostgresServer.open(join(folder, 'postgres'));
  ownByServer(smallDisk);
  await postgres.run(
    `CREATE ROLE ${ROLE} LOGIN`,
    `CREATE TABLESPACE small LOCATION '${smallDisk}'`,
    `CREATE DATABASE bff OWNER ${ROLE} TABLESPACE small`,
  );
  const redis = await RedisServer.open();
  const databaseGate = await openTcpGate(postgres.port, '127.0.0.1');
  const redisGate = await openTcpGate(redis.port, '127.0.0.1');
  const delivered = new Set<string>();
  const sink = await startJsonServer(({ headers }, response) => {
    delivered.add(String(headers['webhook-id']));
    response.writeHead(204).end();
  });
  const upstream = await startUpstream();
  const environment = {
    ...SECRETS,
    HOST: '127.0.0.1',
    DATABASE_URL: postgres.url('bff', ROLE, databaseGate.port),
    REDIS_URL: `redis://127.0.0.1:${redisGate.port}`,
    UPSTREAM_URL: upstream,
    ISSUER_TOKEN_URL: `${upstream}/issuer/token`,
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
    await replica.start();
  }
  return { replicas, postgres, redis, databaseGate, redisGate, smallDisk, delivered };
}
