import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
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
  return [replicaFault(stage), ...redisFaults(stage), ...postgresFaults(stage)];
}

function replicaFault({ replicas }: Stage): Fault {
  const [first] = replicas;
  return {
    name: 'a replica is killed',
    mayRefuse: false,
    mayDisconnect: true,
    begin: () => first!.end('SIGKILL'),
    end: () => first!.start(),
  };
}

/** The service works without Redis: no request fails because of it. */
function redisFaults({ redis, redisGate }: Stage): readonly Fault[] {
  const faults: readonly Omit<Fault, 'mayRefuse'>[] = [
    { name: 'Redis is killed', begin: () => redis.kill(), end: () => redis.start() },
    { name: 'Redis is stopped', begin: () => redis.signal('SIGSTOP'), end: () => redis.signal('SIGCONT') },
    { name: 'Redis is slow', begin: () => redisGate.delay(SLOW_MS), end: () => redisGate.delay(0) },
    { name: 'Redis is cut off', begin: () => redisGate.stall(), end: () => redisGate.resume() },
    { name: 'Redis is flushed', begin: () => redis.run('FLUSHALL'), end: () => undefined },
    {
      name: 'Redis is full',
      begin: () => redis.run('CONFIG', 'SET', 'maxmemory', '1'),
      end: () => redis.run('CONFIG', 'SET', 'maxmemory', '0'),
    },
  ];
  return faults.map((fault) => ({ ...fault, mayRefuse: false }));
}

function postgresFaults({ postgres, databaseGate, smallDisk }: Stage): readonly Fault[] {
  const faults: readonly Omit<Fault, 'mayRefuse'>[] = [
    { name: 'PostgreSQL is killed', begin: () => postgres.kill(), end: () => postgres.start() },
    {
      name: 'PostgreSQL is stopped',
      begin: () => postgres.signal('SIGSTOP'),
      end: () => postgres.signal('SIGCONT'),
    },
    { name: 'PostgreSQL is cut off', begin: () => databaseGate.stall(), end: () => databaseGate.resume() },
    {
      name: 'PostgreSQL is slow',
      begin: () => databaseGate.delay(SLOW_MS),
      end: () => databaseGate.delay(0),
    },
    {
      name: 'PostgreSQL has no connection left',
      begin: () =>
        postgres.run(
          `ALTER ROLE ${ROLE} CONNECTION LIMIT 0`,
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${ROLE}'`,
        ),
      end: () => postgres.run(`ALTER ROLE ${ROLE} CONNECTION LIMIT -1`),
    },
    diskFault(join(smallDisk, 'ballast')),
  ];
  return faults.map((fault) => ({ ...fault, mayRefuse: true }));
}

function diskFault(ballast: string): Omit<Fault, 'mayRefuse'> {
  return { name: "PostgreSQL's disk is full", begin: () => fill(ballast), end: () => rmSync(ballast) };
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
