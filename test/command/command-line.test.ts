import { accessSync, constants, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMANDS } from '../../src/command/commands.js';
import { SETTINGS } from '../../src/config/settings.js';
import { loadConfig } from '../../src/config/load-config.js';
import { newFolder } from '../support/machine.js';
import { REAL } from '../support/parts.js';
import { builtProgram, runCommand, runProcess } from '../support/start-process.js';

const NAMES = Object.keys(COMMANDS);
const { version, bin } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  version: string;
  bin: Record<string, string>;
};
/** Settings of a deployment whose upstream does not exist. */
const DEPLOYMENT = {
  ...REAL,
  UPSTREAM_URL: 'http://127.0.0.1:9',
  ISSUER_TOKEN_URL: 'http://127.0.0.1:9/token',
  DATA_DIR: ':memory:',
};

test('without a command that it knows, it prints the commands on standard error and exits with 2', async () => {
  const { code, out, err } = await runCommand(['promote'], {});
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toMatch(/^"promote" is not a command\.\n/);
  for (const name of NAMES) expect(err).toContain(`  ${name} `);
});

test('prints its version and its commands', async () => {
  expect(await runCommand(['--version'], {})).toEqual({ code: 0, out: `${version}\n`, err: '' });
  expect((await runCommand(['--help'], {})).out).toContain('partner-bff <command>');
});

test('npx runs it in a clone, before the first build and after each', () => {
  accessSync(bin['partner-bff']!, constants.X_OK); // a build would take that away from a file of its own
});

test.each(NAMES)('%s --help prints how to use it, and does nothing; so does help %s', async (name) => {
  const { code, out, err } = await runCommand([name, '--help'], { DATA_DIR: '/nowhere' });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toContain(`partner-bff ${name}`);
  expect(await runCommand(['help', name], {})).toEqual({ code, out, err });
});

test.each(NAMES)('%s refuses an option that it does not know with exit code 2', async (name) => {
  const { code, out, err } = await runCommand([name, '--nonsense'], DEPLOYMENT);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(`partner-bff ${name} --help`);
});

test.each<[string, string]>([
  ['chek', '"chek" is not a command. Did you mean "check"?'],
  ['--verison', '"--verison" is not a command. Did you mean "--version"?'],
  ['memberships ad ada h', 'memberships has no "ad". Did you mean "add"? It has: list, add, remove, import.'],
  ['memberships', 'memberships needs one of: list, add, remove, import.'],
  ['memberships add ada', 'memberships add needs <hirer id>.'],
  ['events list --stat dead', 'events list takes no --stat. Did you mean "--state"?'],
  ['events redeliver', 'events redeliver needs <event id>, or a filter such as --state to redeliver many.'],
  [
    'events redeliver --sink crm',
    'events redeliver needs <event id>, or a filter such as --state to redeliver many.',
  ],
  ['events list --limit', "Option '--limit <value>' argument missing"],
  ['check --jsn', 'check takes no --jsn. Did you mean "--json"?'],
  ['backup', 'backup needs <file>.'],
  ['x', '"x" is not a command.\n'],
  ['help chek', '"chek" is not a command. Did you mean "check"?'],
])('"%s" ends with 2, and first of all says what is wrong with it', async (line, sentence) => {
  const { code, out, err } = await runCommand(line.split(' '), { ...DEPLOYMENT, OPS_PORT: '1' });
  expect([code, out, err.split('\n')[0] + '\n']).toEqual([2, '', expect.stringContaining(sentence)]);
});

test.each<[string, string]>([
  ['memberships add ada seek:org:a --dry-run', '--dry-run'],
  ['memberships remove ada seek:org:a --role owner', '--role'],
  ['memberships import members.csv --hirer seek:org:a', '--hirer'],
  ['events redeliver an-id --dry-run', '--dry-run'],
  ['events redeliver --state dead --limit 3', '--limit'],
  ['users export ada --json', '--json'],
  ['subscriptions ensure --url https://a.example --types all --force', '--force'],
])(
  '"%s" is refused by its option before anything is asked: none is taken and ignored',
  async (line, option) => {
    const { code, out, err } = await runCommand(line.split(' '), { ...DEPLOYMENT, OPS_PORT: '1' });
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(` takes no ${option}`)]);
  },
);

test('secrets prints a value that the service accepts for each, and another one each time', async () => {
  const [first, second] = [await runCommand(['secrets'], {}), await runCommand(['secrets'], {})];
  const settings = Object.fromEntries(
    first.out
      .trimEnd()
      .split('\n')
      .map((line) => /^([A-Z_]+)=(.+)$/.exec(line)!.slice(1)),
  ) as Record<string, string>;
  expect(Object.keys(settings)).toEqual([
    'USER_ID_KEY',
    'SEALING_KEY',
    'OPS_TOKEN',
    'WEBHOOK_SECRETS',
    'EVENT_SINK_SECRET',
  ]);
  expect(loadConfig({ ...DEPLOYMENT, ...settings }).EVENT_SINK_SECRET[0]).toHaveLength(36);
  for (const value of Object.values(settings)) expect(second.out).not.toContain(value);
});

/** What `check` prints beside the package of the playground, which a clone has only once it is built. */
async function checkPlayground(
  options: readonly string[],
  environment: Record<string, string>,
): Promise<string> {
  const program = builtProgram();
  const args = [...program.args, 'check', ...options];
  return (await runProcess(environment, { ...program, args })).text;
}

describe('check', () => {
  test('prints what is set, and no secret', async () => {
    const passwords = {
      DATABASE_URL: 'postgres://bff:pass,word@db.example/bff?password=also',
      REDIS_URL: 'redis://:pass,word@redis.example',
      EVENT_SINK_URL: 'tls://pass,word@nats.example/events',
    };
    const { code, out, err } = await runCommand(['check'], { ...DEPLOYMENT, ...passwords });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^PARTNER_CLIENT_SECRET=set$/m);
    expect(out).toMatch(/^DATABASE_URL=postgres:\/\/…@db\.example\/bff\?…$/m);
    expect(out).toMatch(/^REDIS_URL=redis:\/\/…@redis\.example$/m);
    expect(out).toMatch(/^EVENT_SINK_URL=tls:\/\/…@nats\.example\/events$/m);
    expect(out).not.toMatch(/^PORT=|pass|word@|also|q7Jx2mVb|a-client-secret/);
  });

  test.each(['postgres://bff:123#456@db.example/bff', 'postgres://bff:123/456@db.example/bff'])(
    'prints nothing of an address whose password is taken for a port: %s',
    async (DATABASE_URL) => {
      const { out } = await runCommand(['check'], { ...DEPLOYMENT, DATABASE_URL });
      expect(out).toMatch(/^DATABASE_URL=…$/m);
    },
  );

  test('prints the value of a default, not what the documentation says of it', async () => {
    const { out } = await runCommand(['check', '--all'], DEPLOYMENT);
    expect(out).toMatch(/^PORT=3000 {2}\(default\)$/m);
    expect(out).toMatch(/^HOST=0\.0\.0\.0 {2}\(default\)$/m);
    expect(out).toMatch(/^LOG_FORMAT=json {2}\(default\)$/m);
    expect(out).toContain(`USER_AGENT=partner-bff/${version}  (default)\n`);
    const playground = await checkPlayground([], { DATA_DIR: ':memory:' });
    expect(playground).toMatch(/^HOST=127\.0\.0\.1 {2}\(default\)$/m);
    expect(playground).toMatch(/^LOG_FORMAT=pretty {2}\(default\)$/m);
  });

  test('ends with 78 and every fault, by name, and the page that explains them', async () => {
    const wrong = { ...DEPLOYMENT, PORT: 'one', END_USER_AUDIENCE: '', WEBHOOK_SECRETS: 'short' };
    const { code, out, err } = await runCommand(['check'], wrong);
    expect({ code, out }).toEqual({ code: 78, out: '' });
    for (const name of ['PORT', 'END_USER_AUDIENCE', 'WEBHOOK_SECRETS']) {
      expect(err).toContain(`  - ${name} `);
    }
    expect(err).toMatch(/See docs\/configuration\.md\.\n$/);
    expect(err).not.toContain('short');
  });

  test('ends with 78 for an operation that would stop the start, by file and line', async () => {
    const folder = newFolder();
    const file = join(folder, 'a.graphql');
    writeFileSync(file, 'query A\n@hiror(variable: "h") { a }');
    const { code, out, err } = await runCommand(['check'], { ...DEPLOYMENT, OPERATIONS_DIR: folder });
    expect({ code, out }).toEqual({ code: 78, out: '' });
    expect(err).toContain(`  - ${file}:2: Unknown directive "@hiror"`);
  });

  test('prints the settings that are set or differ from their defaults; all of them with --all', async () => {
    const names = async (...options: string[]): Promise<string[]> => {
      const out = await checkPlayground(['--json', ...options], { DATA_DIR: ':memory:', PORT: '3000' });
      const { mode, settings } = JSON.parse(out) as { mode: string; settings: { name: string }[] };
      expect(mode).toBe('playground');
      return settings.map(({ name }) => name);
    };
    expect(await names()).toEqual(['PORT', 'HOST', 'DATA_DIR', 'LOG_FORMAT']);
    expect(await names('--all')).toEqual(Object.keys(SETTINGS));
  });

  test.each(['partner-bff', 'redis', 'ops', 'playground', 'database', 'port', 'event-sink'])(
    'takes nothing that Kubernetes sets for a Service named %s for a setting',
    async (service) => {
      const name = service.replaceAll('-', '_').toUpperCase();
      const links = {
        [`${name}_SERVICE_HOST`]: '10.0.0.7',
        [`${name}_SERVICE_PORT`]: '80',
        [`${name}_SERVICE_PORT_PUBLIC`]: '80',
        [`${name}_PORT`]: 'tcp://10.0.0.7:80',
        [`${name}_PORT_80_TCP`]: 'tcp://10.0.0.7:80',
        [`${name}_PORT_80_TCP_PROTO`]: 'tcp',
        [`${name}_PORT_80_TCP_PORT`]: '80',
        [`${name}_PORT_80_TCP_ADDR`]: '10.0.0.7',
      };
      const plain = await runCommand(['check', '--all'], DEPLOYMENT);
      expect(plain).toMatchObject({ code: 0, err: '' });
      expect(await runCommand(['check', '--all'], { ...DEPLOYMENT, ...links })).toEqual(plain);
    },
  );

  test.each<[string, string, string, string]>([
    ['subscriptions list', 'EVENTS_SCHEME_IDS', 'EVENTS_SCHEME_ID', 'set EVENTS_SCHEME_ID'],
    ['memberships list', 'OPS_PROT', 'OPS_PORT', 'No answer from'],
    ['events list', 'OPS_PROT', 'OPS_PORT', 'No answer from'],
    ['operations check', 'UPSTREAM_ULR', 'UPSTREAM_URL', 'Set UPSTREAM_URL'],
    ['storage copy', 'DATABASE_URI', 'DATABASE_URL', 'DATABASE_URL must name'],
  ])('%s names %s beside the fault that follows from it', async (words, misspelt, meant, fault) => {
    const { code, err } = await runCommand(words.split(' '), { [misspelt]: '1', OPS_PORT: '9' });
    expect(code).not.toBe(0);
    expect(err).toMatch(
      new RegExp(`${fault}[^]*${misspelt} is not a setting .* did you mean ${meant}\\?\n$`),
    );
  });

  test('warns of a claim of hirers that no HIRER_ACCESS has it read', async () => {
    const named = { ...DEPLOYMENT, HIRER_ACCESS_CLAIM: '/resource_access/partner-bff/hirers' };
    const { code, err } = await runCommand(['check'], named);
    expect([code, err]).toEqual([0, expect.stringMatching(/^HIRER_ACCESS_CLAIM .*set HIRER_ACCESS=claim/)]);
    const read = { ...named, HIRER_ACCESS: 'claim' };
    expect(await runCommand(['check'], read)).toMatchObject({ code: 0, err: '' });
  });
});
