import { request } from 'undici';
import { startPlayground, type Playground } from '../../playground/src/playground.js';
import { slowness } from '../support/longest-turn.js';
import { startProcess, type ServiceProcess } from '../support/start-process.js';
import { serviceEnvironment } from '../support/start-stack.js';
import { BANKSIA } from './proxy-stack.js';
import { startScriptedUpstream, type ScriptedUpstream } from './scripted-upstream.js';

const MEGABYTE = 1_048_576;

let playground: Playground;
let upstream: ScriptedUpstream;
let service: ServiceProcess;
let amelia: string;

beforeAll(async () => {
  playground = await startPlayground({ port: 0 });
  upstream = await startScriptedUpstream();
  amelia = await playground.signIn('amelia');
  service = await startProcess(
    serviceEnvironment(playground, {
      UPSTREAM_URL: upstream.url,
      NODE_OPTIONS: '--max-old-space-size=192',
      RATE_LIMIT_REQUESTS_PER_MINUTE: '0',
      EVENTS_SCHEME_ID: '',
    }),
  );
  const membership = `memberships/${encodeURIComponent(playground.demo.memberships[0]!.subject)}/${encodeURIComponent(BANKSIA)}`;
  await request(`${service.opsUrl}/${membership}`, { method: 'PUT' });
});
afterAll(async () => {
  await service.stop();
  await upstream.server.close();
  await playground.close();
});

interface Use {
  readonly cpuSeconds: number;
  readonly residentBytes: number;
}

async function readUse(): Promise<Use> {
  const text = await (await request(`${service.opsUrl}/metrics`)).body.text();
  const read = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)![1]);
  return {
    cpuSeconds: read('process_cpu_seconds_total'),
    residentBytes: read('process_resident_memory_bytes'),
  };
}

/** The resources that the service used during `work`; `/livez` is requested throughout, and must answer. */
async function spentOn(work: () => Promise<unknown>): Promise<Use & { readonly livezMs: number }> {
  const before = await readUse();
  let [livezMs, over] = [0, false];
  const watching = (async () => {
    while (!over) {
      const at = performance.now();
      const { statusCode, body } = await request(`${service.opsUrl}/livez`);
      await body.dump();
      expect(statusCode).toBe(200);
      livezMs = Math.max(livezMs, performance.now() - at);
    }
  })();
  try {
    await work();
  } finally {
    over = true;
    await watching;
  }
  const after = await readUse();
  return {
    cpuSeconds: after.cpuSeconds - before.cpuSeconds,
    residentBytes: after.residentBytes - before.residentBytes,
    livezMs,
  };
}

async function ask(
  body: unknown,
  user?: string,
): Promise<{ status: number; text: string; warnings: string }> {
  const answer = await request(`${service.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(user !== undefined && { authorization: `Bearer ${user}`, 'x-hirer-id': BANKSIA }),
    },
    body: JSON.stringify(body),
  });
  const warnings = answer.headers['x-operation-warnings'];
  return { status: answer.statusCode, text: await answer.body.text(), warnings: String(warnings ?? '') };
}

/** Operations that each reach a fragment of many arguments; a new text for each seed. */
function manyOperations(operations: number, args: number, seed: string): string {
  const inlined = Array.from({ length: args }, (_, index) => `a${index}:1`).join(' ');
  const named = Array.from({ length: operations }, (_, index) => `query Q${index}{...F}`).join(' ');
  return `${named} fragment F on ${seed} { f(${inlined}) }`;
}

/** A chain of long names with empty members at its end: the path of each is as long as the chain. */
function emptyMembers(levels: number, nameLength: number, count: number): unknown {
  let value: Record<string, unknown> = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`e${index}`, null]),
  );
  for (let level = 0; level < levels; level += 1) value = { ['n'.repeat(nameLength)]: value };
  return value;
}

describe('texts that are expensive to analyse', () => {
  const attack = (seed: string) => ({ query: manyOperations(90, 800, seed), operationName: 'Q0' });

  test('cost next to nothing without a user', async () => {
    const spent = await spentOn(async () => {
      for (let round = 0; round < 10; round += 1) {
        expect((await ask(attack(`S${round}`))).status).toBe(401);
        const array = Array.from({ length: 10 }, (_, index) => attack(`A${round}x${index}`));
        expect((await ask(array)).status).toBe(401);
      }
    });
    expect(spent.cpuSeconds).toBeLessThan(5 * slowness()); // 50 when each operation visits each argument
    expect(spent.residentBytes).toBeLessThan(128 * MEGABYTE);
    expect(spent.livezMs).toBeLessThan(5_000);
  });

  test('cost in proportion to their size, and do not delay other users', async () => {
    const spent = await spentOn(async () => {
      for (let round = 0; round < 20; round += 1) {
        const array = Array.from({ length: 10 }, (_, index) => attack(`M${round}x${index}`));
        expect((await ask(array, amelia)).status).toBe(200);
      }
    });
    expect(spent.cpuSeconds).toBeLessThan(20 * slowness()); // 90 when each operation visits each argument
    expect(spent.residentBytes).toBeLessThan(160 * MEGABYTE);
    expect(spent.livezMs).toBeLessThan(5_000);
  });
});

describe('breaks of the rules', () => {
  test('in large numbers and with long names fill neither memory nor log nor header', async () => {
    const variables = { v: emptyMembers(29, 1_000, 9_000) };
    const logged = service.logText().length;
    const answers: Awaited<ReturnType<typeof ask>>[] = [];
    const spent = await spentOn(async () => {
      for (let round = 0; round < 5; round += 1) {
        answers.push(await ask({ query: '{ version }', variables }, amelia));
      }
    });
    for (const { status, warnings } of answers) {
      expect(status).toBe(200);
      expect(warnings).toMatch(/is null; leave it out/);
      expect(warnings.length).toBeLessThanOrEqual(2_000);
    }
    expect(service.logText().length - logged).toBeLessThan(5 * 20_000);
    expect(spent.residentBytes).toBeLessThan(160 * MEGABYTE);
    expect(spent.livezMs).toBeLessThan(5_000);
  });
});
