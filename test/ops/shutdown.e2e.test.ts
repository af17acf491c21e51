import { Agent, request } from 'undici';
import type { Playground } from '../../playground/src/playground.js';
import { SqliteDatabase } from '../../src/storage/sqlite/sqlite-database.js';
import { newFolder } from '../support/machine.js';
import { startProcess, type ServiceProcess } from '../support/start-process.js';
import { grant, openPlayground, serviceEnvironment } from '../support/start-stack.js';
import { storedAudit } from '../support/stored.js';
import { until } from '../support/until.js';

const CLIENTS = 20;
const LOAD_MS = 100_000;
/** The drill sends more. */
const REQUESTS_BEFORE_STOP = Number(process.env['DRILL_REQUESTS'] ?? 1_500);

let playground: Playground;
let service: ServiceProcess;
let dataDir: string;
beforeEach(async () => {
  playground = await openPlayground();
  dataDir = newFolder();
  service = await startProcess({
    ...serviceEnvironment(playground),
    DATA_DIR: dataDir,
    SHUTDOWN_DELAY_MS: '2000',
    RATE_LIMIT_REQUESTS_PER_MINUTE: '100',
  });
});

async function outcomesOnDisk(): Promise<Record<string, number>> {
  const database = new SqliteDatabase(dataDir);
  const records = await storedAudit(database);
  await database.close();
  const counts: Record<string, number> = {};
  for (const { action, outcome, count = 1 } of records) {
    if (action === 'token') counts[outcome] = (counts[outcome] ?? 0) + count;
  }
  return counts;
}

/** A mix that ends in every way the service can refuse or serve without a fault. */
function bodiesOf(hirerId: string): string[] {
  const scope = 'query:organizations';
  return [
    JSON.stringify({ hirerId, scope }),
    JSON.stringify({ hirerId: 'not:a:member', scope }),
    JSON.stringify({ hirerId, scope: 'query:everything' }),
    JSON.stringify({ hirerId }),
    '{',
  ];
}

describe('SIGTERM under load', () => {
  test('loses no request, and the audit trail counts exactly what the clients saw', async () => {
    const token = await playground.signIn('amelia');
    for (const member of playground.demo.memberships) await grant(service.opsUrl, member);
    const bodies = bodiesOf(playground.demo.hirers[0]!.hirerId);
    /** The numbers of requests, by outcome as the audit trail names it. */
    const counts: Record<string, number> = {};
    let [answered, lost] = [0, 0]; // those that may have been taken and got no answer
    /** A caller behind a load balancer: told that the connection closes, it goes to another replica. */
    const client = async (offset: number): Promise<void> => {
      const dispatcher = new Agent({ connections: 1 });
      for (let i = offset; ; i += 1) {
        try {
          const signedIn = i % 6 !== 0;
          const answer = await request(`${service.url}/auth/token`, {
            dispatcher,
            method: 'POST',
            headers: {
              'content-type': 'application/json',
              ...(signedIn && { authorization: `Bearer ${token}` }),
            },
            body: bodies[i % bodies.length]!,
          });
          const { code } = (await answer.body.json()) as { code?: string };
          const outcome = answer.statusCode === 200 ? 'issued' : code!;
          counts[outcome] = (counts[outcome] ?? 0) + 1;
          answered += 1;
          if (answer.headers.connection === 'close') return;
        } catch {
          lost += 1;
          return;
        }
      }
    };
    const clients = Array.from({ length: CLIENTS }, (_, offset) => client(offset));
    await until(() => answered >= REQUESTS_BEFORE_STOP, LOAD_MS);
    expect(await service.stop('SIGTERM')).toBe(0);
    await Promise.all(clients);

    expect(lost).toBe(0);
    expect(Object.keys(counts).sort()).toEqual([
      'hirer_forbidden',
      'invalid_request',
      'issued',
      'rate_limited',
      'scope_forbidden',
      'unauthenticated',
    ]);
    expect(await outcomesOnDisk()).toEqual(counts);
  });
});
