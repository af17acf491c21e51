import type { Environment } from '../../../src/config/load-config.js';
import { TEST_DATABASES, type TestDatabase } from '../../support/test-database.js';

/** One form of the drill: which stores, how many replicas in processes of their own, and its part of the operations. */
export interface DrillRun {
  readonly name: string;
  readonly replicas: number;
  readonly share: number;
  /** Makes the stores. */
  open(): Promise<{ readonly settings: Environment; drop(): Promise<void> }>;
}

const NO_STORES = { settings: {}, drop: async () => undefined };
/** Limits that busy users reach. */
const LIMITS = { RATE_LIMIT_REQUESTS_PER_MINUTE: '60', RATE_LIMIT_MINTS_PER_MINUTE: '2' };

const redis = process.env['TEST_REDIS_URL'];
const postgres = redis ? TEST_DATABASES.find(({ isServer }) => isServer) : undefined;

/** The embedded stores, the same with limits, and, where `TEST_DATABASE_URL` and `TEST_REDIS_URL` are set, replicas. */
export const DRILL_RUNS: readonly DrillRun[] = [
  { name: 'embedded stores', replicas: 1, share: postgres ? 0.4 : 0.9, open: async () => NO_STORES },
  {
    name: 'embedded stores, limited users',
    replicas: 1,
    share: 0.1,
    open: async () => ({ ...NO_STORES, settings: LIMITS }),
  },
  ...(postgres
    ? [
        {
          name: 'three replicas on PostgreSQL and Redis',
          replicas: 3,
          share: 0.5,
          open: () => openServers(postgres.open),
        },
      ]
    : []),
];

async function openServers(open: () => Promise<TestDatabase>): ReturnType<DrillRun['open']> {
  const { settings: own, drop } = await open();
  return { settings: { ...own, REDIS_URL: redis }, drop };
}
