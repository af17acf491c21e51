import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { TcpGate } from '../../support/raw-connection.js';
import type { OwnServer } from './own-servers.js';
import { ROLE, type Stage } from './stage.js';

const SLOW_MS = 150;
const BLOCK = Buffer.alloc(65_536);

/** Something that fails, and works again. */
export interface Fault {
  readonly name: string;
  /** Requests may be answered 502, 503 or 504 meanwhile. */
  readonly mayRefuse: boolean;
  /** Connections to a replica may break. */
  readonly mayDisconnect?: boolean;
  begin(): unknown;
  end(): unknown;
}

/** Everything that fails in the drill, in turn. */
export function faultsOf(stage: Stage): readonly Fault[] {
  const [first] = stage.replicas;
  const replica: Fault = {
    name: 'a replica is killed',
    mayRefuse: false,
    mayDisconnect: true,
    begin: () => first!.end('SIGKILL'),
    end: () => first!.start(),
  };
  return [replica, ...redisFaults(stage), ...postgresFaults(stage)];
}

/** What fails of any server, and of the way to it. */
function serverFaults(name: string, server: OwnServer, gate: TcpGate, mayRefuse: boolean): readonly Fault[] {
  const faults = [
    { name: 'killed', begin: () => server.kill(), end: () => server.start() },
    { name: 'stopped', begin: () => server.signal('SIGSTOP'), end: () => server.signal('SIGCONT') },
    { name: 'slow', begin: () => gate.delay(SLOW_MS), end: () => gate.delay(0) },
    { name: 'cut off', begin: () => gate.stall(), end: () => gate.resume() },
  ];
  return faults.map((fault) => ({ ...fault, name: `${name} is ${fault.name}`, mayRefuse }));
}

/** The service works without Redis: no request fails because of it. */
function redisFaults({ redis, redisGate }: Stage): readonly Fault[] {
  const setMemory = (bytes: string) => redis.run('CONFIG', 'SET', 'maxmemory', bytes);
  return [
    ...serverFaults('Redis', redis, redisGate, false),
    {
      name: 'Redis is flushed',
      mayRefuse: false,
      begin: () => redis.run('FLUSHALL'),
      end: () => undefined,
    },
    { name: 'Redis is full', mayRefuse: false, begin: () => setMemory('1'), end: () => setMemory('0') },
  ];
}

function postgresFaults({ postgres, databaseGate, smallDisk }: Stage): readonly Fault[] {
  const limitConnections = (count: number) => `ALTER ROLE ${ROLE} CONNECTION LIMIT ${count}`;
  const endConnections = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${ROLE}'`;
  const ballast = join(smallDisk, 'ballast');
  return [
    ...serverFaults('PostgreSQL', postgres, databaseGate, true),
    {
      name: 'PostgreSQL has no connection left',
      mayRefuse: true,
      begin: () => postgres.run(limitConnections(0), endConnections),
      end: () => postgres.run(limitConnections(-1)),
    },
    {
      name: "PostgreSQL's disk is full",
      mayRefuse: true,
      begin: () => fill(ballast),
      end: () => rmSync(ballast),
    },
  ];
}

/** Writes until no byte more fits. */
function fill(file: string): void {
  const descriptor = openSync(file, 'w');
  for (let size = BLOCK.length; size >= 1; size = Math.floor(size / 2)) {
    while (writes(descriptor, size));
  }
  closeSync(descriptor);
}

function writes(descriptor: number, size: number): boolean {
  try {
    return writeSync(descriptor, BLOCK, 0, size) === size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}
