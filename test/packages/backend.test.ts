import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { newFolder, freePort } from '../support/machine.js';
import { checkTypes, copyExample } from '../../client/test/project.js';
import { startStack, type Stack } from '../support/start-stack.js';
import { until } from '../support/until.js';

const SINK_SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const APPLICATIONS = 30;
const BANKSIA = 'seekAnzPublicTest:organization:seek:93WyyF1h';

interface Row {
  readonly id: string;
  readonly candidate: string;
  readonly answers: readonly object[];
  readonly files: readonly { readonly role: string; readonly name: string; readonly path: string }[];
}

/** The command of each back end, in a copy of the example. */
let folder: string;
beforeAll(async () => {
  folder = await copyExample('examples/backend');
}, 180_000);

test('the example compiles against the packed package', async () => {
  expect(await checkTypes(folder)).toBe('');
});

test('the receiver of the README compiles, verifies a delivery and saves its files', async () => {
  const [, text] = /```typescript\n([^]*?)```/.exec(readFileSync('client/README.md', 'utf8'))!;
  const port = await freePort();
  const stack = await startStack({
    EVENTS_SCHEME_ID: '',
    EVENT_SINK_URL: `http://127.0.0.1:${port}/events`,
    EVENT_SINK_SECRET: SINK_SECRET,
  });
  const { machine } = stack.playground;
  const program = text!.replace('https://bff.partner.example', stack.url).replace('4000', String(port));
  writeFileSync(join(folder, 'src', 'readme.ts'), program);
  expect(await checkTypes(folder)).toBe('');
  const cwd = newFolder();
  const env = {
    TOKEN_URL: machine.tokenUrl,
    CLIENT_SECRET: machine.clientSecret,
    EVENT_SINK_SECRET: SINK_SECRET,
  };
  const child = spawn(process.execPath, [join(folder, 'src', 'readme.ts')], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await once(child.stdout, 'data');
    stack.playground.subscribe({ url: `${stack.url}/webhooks` });
    stack.playground.events.emit('CandidateApplicationCreated');
    const hasBytes = (name: string) => /^[0-9a-f]{64}$/.test(name) && statSync(join(cwd, name)).size > 0;
    await until(() => readdirSync(cwd).some(hasBytes));
  } finally {
    child.kill('SIGKILL');
  }
});

const PYTHON = '/usr/bin/python3'; // the one that has Debian's packages

const RECEIVERS = [
  ['Node', process.execPath, 'src/main.ts'],
  ['Python', PYTHON, 'receiver.py'],
] as const;

beforeAll(() => {
  for (const module of ['flask', 'requests']) {
    if (spawnSync(PYTHON, ['-c', `import ${module}`]).status === 0) continue;
    throw new Error(`python3-${module} is not installed: apt-get install -y python3-${module}`);
  }
});

describe.each(RECEIVERS)('the back end in %s', (_name, program, script) => {
  let stack: Stack;
  let port: number;
  let data: string;
  let child: ChildProcess;

  beforeAll(async () => {
    port = await freePort();
    data = newFolder();
    stack = await startStack({
      EVENTS_SCHEME_ID: '',
      EVENT_SINK_URL: `${address()}/events`,
      EVENT_SINK_SECRET: SINK_SECRET,
      EVENT_SINK_RETRY_SECONDS: Array(50).fill(1).join(),
    });
    stack.playground.subscribe({ url: `${stack.url}/webhooks` });
    await start();
  });
  afterAll(async () => {
    await kill();
  });

  const address = (): string => `http://127.0.0.1:${port}`;

  async function start(): Promise<void> {
    const { machine } = stack.playground;
    child = spawn(program, [script], {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        BFF_URL: stack.url,
        TOKEN_URL: machine.tokenUrl,
        CLIENT_ID: machine.clientId,
        CLIENT_SECRET: machine.clientSecret,
        EVENT_SINK_SECRET: SINK_SECRET,
        DATA_DIR: data,
        PORT: String(port),
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await once(child.stdout!, 'data');
  }

  async function kill(): Promise<void> {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  async function rows(): Promise<Row[]> {
    return (await (await fetch(`${address()}/applications`)).json()) as Row[];
  }

  function apply(): string {
    return stack.playground.events.emit('CandidateApplicationCreated').members[
      'candidateApplicationProfileId'
    ]!;
  }

  test('keeps an application with its candidate, and its files as they were sent', async () => {
    const id = apply();
    await until(async () => (await rows()).some((row) => row.id === id));
    const row = (await rows()).find((one) => one.id === id)!;
    const { candidateProfiles, attachments } = stack.playground.world;
    expect(candidateProfiles.get(id)).toBeDefined();
    expect(row.candidate).not.toBe('');
    const sent = [...attachments.values()].filter(({ profileId }) => profileId === id);
    expect(row.files.map(({ name }) => name).sort()).toEqual(sent.map(({ fileName }) => fileName).sort());
    for (const { path } of row.files) expect(readFileSync(path).length).toBeGreaterThan(0);
  });

  test('has each application once, though it is killed while candidates apply', async () => {
    const before = (await rows()).length;
    const ids: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      for (let at = 0; at < APPLICATIONS / 3; at += 1) ids.push(apply());
      const half = before + (round * APPLICATIONS) / 3 + 2;
      await until(async () => (await rows()).length >= half);
      await kill();
      await start();
    }
    const kept = async () => (await rows()).map(({ id }) => id).filter((id) => ids.includes(id));
    await until(async () => (await kept()).length >= ids.length);
    expect((await kept()).sort()).toEqual(ids.sort());
  });

  interface Delivery {
    readonly secret?: string;
    readonly headers?: Record<string, string>;
    /** What is sent in place of the body that was signed. */
    readonly sentAs?: (body: string) => string;
  }

  /** Delivers to the back end as the service does; the status of its answer. */
  async function deliver(members: object, delivery: Delivery = {}): Promise<number | 'cut'> {
    const { secret = SINK_SECRET, headers, sentAs = (body: string) => body } = delivery;
    const id = `delivery-${randomBytes(8).toString('hex')}`;
    const body = JSON.stringify({
      type: 'CandidateApplicationCreated',
      timestamp: new Date().toISOString(),
      data: { id, hirerId: BANKSIA, ...members },
    });
    const response = fetch(`${address()}/events`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
        'webhook-signature': new Webhook(secret).sign(id, new Date(), body),
        ...headers,
      },
      body: sentAs(body),
    });
    return response.then(
      ({ status }) => status,
      () => 'cut', // while it was sent
    );
  }

  test('keeps what it has of an application that a repeat says is no longer there, or not ours to see', async () => {
    const id = apply();
    const row = async () => (await rows()).find((one) => one.id === id);
    await until(async () => (await row()) !== undefined);
    const kept = await row();
    const repeat = { headers: { 'webhook-repeat': 'true' } };
    const hirer = stack.playground.world.hirers.get(BANKSIA)!;
    const { relationships } = hirer;
    hirer.relationships = [];
    const refused = { objectErrors: [{ code: 'FORBIDDEN' }] };
    expect(await deliver({ candidateApplicationProfileId: id, ...refused }, repeat)).toBe(204);
    hirer.relationships = relationships;
    expect(await deliver({ candidateApplicationProfileId: id, object: null }, repeat)).toBe(204);
    expect(await row()).toEqual(kept);
  });

  test('keeps an application with a file that is not behind the service, and asks for it nowhere', async () => {
    const id = 'elsewhere';
    const attachment = { id: { value: 'a' }, seekRoleCode: 'Resume', url: 'https://files.example/a.pdf' };
    const person = { name: { formattedName: 'Ada' }, communication: { email: [] } };
    const object = { candidateProfile: { candidate: { person }, attachments: [attachment] } };
    expect(await deliver({ candidateApplicationProfileId: id, object })).toBe(204);
    expect((await rows()).find((row) => row.id === id)).toMatchObject({
      candidate: 'Ada',
      files: [{ role: 'Resume', name: '', path: '' }],
    });
  });

  test('keeps nothing of what the service did not sign, and reads no endless body', async () => {
    const before = await rows();
    const forged = { candidateApplicationProfileId: 'forged' };
    const stranger = `whsec_${randomBytes(32).toString('base64')}`;
    expect(await deliver(forged, { secret: stranger })).toBe(401);
    expect(await deliver(forged, { sentAs: (body) => body.replace('forged', 'f0rged') })).toBe(401);
    expect([413, 'cut']).toContain(await deliver(forged, { sentAs: () => 'x'.repeat(5_000_000) }));
    expect(await rows()).toEqual(before);
    expect(readdirSync(data).filter((name) => name.endsWith('.part'))).toEqual([]);
  });
});
