import { join } from 'node:path';
import { PostgresDatabase } from '../../../src/storage/postgres/postgres-database.js';
import { SqliteDatabase } from '../../../src/storage/sqlite/sqlite-database.js';
import { idsIn, runKillDrill, type DrillReport } from '../kill/drill.js';
import { Disk } from './disks.js';
import { ownByServer, PostgresServer } from './own-servers.js';

const SQLITE_MEGABYTES = 64;
const POSTGRES_MEGABYTES = 256;
const LIFE_MS_MAX = 2_000;

/** Cuts the power of a machine under load that often. */
export interface PowerCuts {
  readonly name: string;
  run(rounds: number): Promise<DrillReport>;
}

/** The service and its file are on the machine that loses its power. */
const SQLITE: PowerCuts = {
  name: 'SQLite',
  run: async (rounds) => {
    const disk = Disk.make(SQLITE_MEGABYTES);
    const DATA_DIR = join(disk.folder, 'data');
    return runKillDrill({
      rounds,
      lifeMsMax: LIFE_MS_MAX,
      settings: { DATA_DIR },
      kill: async (service) => {
        await service.end('SIGKILL');
        disk.cutPower();
      },
      storedIds: () => idsIn(new SqliteDatabase(DATA_DIR)),
    });
  },
};

/** The server loses its power, and then the service, so that nothing is acknowledged without the server. */
const POSTGRES: PowerCuts = {
  name: 'PostgreSQL',
  run: async (rounds) => {
    const disk = Disk.make(POSTGRES_MEGABYTES);
    ownByServer(disk.folder);
    const postgres = await PostgresServer.open(join(disk.folder, 'postgres'));
    const DATABASE_URL = postgres.url('postgres');
    return runKillDrill({
      rounds,
      lifeMsMax: LIFE_MS_MAX,
      settings: { DATABASE_URL },
      kill: async (service) => {
        await postgres.kill();
        await service.end('SIGKILL');
        disk.cutPower();
        await postgres.start();
      },
      storedIds: () => idsIn(new PostgresDatabase(DATABASE_URL)),
    });
  },
};

/** Each store whose machine can lose its power. */
export const POWER_CUTS: readonly PowerCuts[] = [SQLITE, POSTGRES];
