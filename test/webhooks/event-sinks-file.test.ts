import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type ConfigError, loadConfig, type Environment } from '../../src/config/load-config.js';
import { Secrets } from '../../src/config/secrets.js';
import { openSinks } from '../../src/webhooks/deliver/sinks/open-sinks.js';
import { newFolder } from '../support/machine.js';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER_SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const CRM = { name: 'crm', url: 'https://crm.example/events', secret: SECRET };

const folder = newFolder();
const path = join(folder, 'sinks.json');
const secretFile = join(folder, 'secret');
writeFileSync(secretFile, `${SECRET}\n`);

const schema = JSON.parse(readFileSync('schemas/event-sinks.json', 'utf8')) as object;
const isValid = new Ajv2020({ strict: true, strictRequired: false }).compile(schema);

function load(file: unknown, environment: Environment = {}) {
  writeFileSync(path, typeof file === 'string' ? file : JSON.stringify(file));
  return loadConfig({ DATA_DIR: ':memory:', EVENT_SINKS_FILE: path, ...environment }, true);
}

function faultsOf(file: unknown, environment?: Environment): readonly string[] {
  try {
    load(file, environment);
    return [];
  } catch (error) {
    return (error as ConfigError).faults;
  }
}

test('the example of the documents is valid', () => {
  const [, example] = /```json\n(\{\n {2}"\$schema"[\s\S]*?)```/.exec(
    readFileSync('docs/events.md', 'utf8'),
  )!;
  expect(isValid(JSON.parse(example!))).toBe(true);
  const here = example!.replaceAll(/"\/run\/secrets\/[^"]+"/g, JSON.stringify(secretFile));
  expect(load(here).EVENT_SINKS_FILE.map(({ name }) => name)).toEqual(['crm', 'banksia']);
});

describe('the schema and the start judge alike', () => {
  const crm = (changes: object): object => ({ sinks: [{ ...CRM, ...changes }] });
  const withoutSecret = { name: CRM.name, url: CRM.url };
  test.each<[string, boolean, unknown]>([
    ['one sink', true, { sinks: [CRM] }],
    ['a link to the schema', true, { $schema: 'x', sinks: [CRM] }],
    ['a secret in a file', true, { sinks: [{ ...withoutSecret, secretFile }] }],
    [
      'every member',
      true,
      crm({
        types: ['CandidateApplicationCreated'],
        hirers: ['s:organization:1'],
        objects: false,
        retrySeconds: [0.5, 30],
        timeoutMs: 5_000,
        concurrency: 2,
        allowPrivate: true,
      }),
    ],
    ['a list alone', false, [CRM]],
    ['no sink', false, { sinks: [] }],
    ['another member', false, { sinks: [CRM], more: 1 }],
    ['a sink that is a text', false, { sinks: ['crm'] }],
    ['a sink without a name', false, crm({ name: undefined })],
    ['a name with a space', false, crm({ name: 'a b' })],
    ['a name that is too long', false, crm({ name: 'a'.repeat(41) })],
    ['a name with a colon', false, crm({ name: 'handler:a' })],
    ['a sink without a URL', false, crm({ url: undefined })],
    ['a URL that is a number', false, crm({ url: 1 })],
    ['no secret', false, crm({ secret: undefined })],
    ['a broker without a secret', true, { sinks: [{ name: 'b', url: 'amqps://u:p@b.example/vhost' }] }],
    ['a broker with a secret', true, crm({ url: 'tls://broker.example/partner.events' })],
    ['a broker with two secrets', false, crm({ url: 'tls://broker.example', secretFile })],
    ['two secrets', false, crm({ secretFile })],
    ['an empty list of hirers, which would mean all', false, crm({ hirers: [] })],
    ['a hirer that is a number', false, crm({ hirers: [1] })],
    ['hirers in one text', false, crm({ hirers: 'a,b' })],
    ['an empty list of types', false, crm({ types: [] })],
    ['a type with a space', false, crm({ types: ['a b'] })],
    ['objects that is a text', false, crm({ objects: 'yes' })],
    ['no pause', false, crm({ retrySeconds: [] })],
    ['a pause of 0', false, crm({ retrySeconds: [0] })],
    ['a pause beyond a week', false, crm({ retrySeconds: [604_801] })],
    ['51 pauses', false, crm({ retrySeconds: Array(51).fill(1) })],
    ['a deadline that is too short', false, crm({ timeoutMs: 49 })],
    ['a deadline that is no whole number', false, crm({ timeoutMs: 50.5 })],
    ['no concurrency', false, crm({ concurrency: 0 })],
    ['a member that is not known', false, crm({ retries: [1] })],
    ['51 sinks', false, { sinks: Array.from({ length: 51 }, (_value, i) => ({ ...CRM, name: `s${i}` })) }],
  ])('%s: valid is %s', (_what, valid, file) => {
    expect(isValid(JSON.parse(JSON.stringify(file)))).toBe(valid);
    expect(faultsOf(file).length === 0).toBe(valid);
  });
});

test('all faults are reported at once, by sink and member, without repeating a value', () => {
  const [fault, ...others] = faultsOf({
    sinks: [
      { name: 'crm', url: 'http://v4lue.example', secret: 'v4lue-v4lue-v4lue', hirers: ['v4l ue'] },
      { name: 'crm', url: 'https://a.example', secretFile: join(folder, 'v4lue') },
      { name: 'v4 lue', url: 'https://u:v4lue@a.example', secret: SECRET },
      { name: 'bus', url: 'amqp://u:v4lue@a.example' },
    ],
  });
  expect(others).toEqual([]);
  expect(fault).toMatch(/^EVENT_SINKS_FILE /);
  for (const told of [
    'sink crm: url must be https',
    'sink crm: secret item 1 must be whsec_',
    'sink crm: hirers must be a list of hirer ids',
    'sink crm: secretFile cannot be read (ENOENT)',
    'sink 3: name must be 1 to 40 letters',
    'sink 3: url must not hold credentials',
    'sink crm: name is used twice',
    'sink bus: url must be amqps: plain amqp is accepted for a loopback host only',
  ]) {
    expect(fault).toContain(told);
  }
  expect(fault).not.toContain('v4');
});

test.each([
  ['is not JSON', '{'],
  ['must hold {"sinks": […]}', '[]'],
])('a file that %s is a fault', (fault, file) => {
  expect(faultsOf(file)).toEqual([expect.stringContaining(fault)]);
});

test('types and hirers of all sinks together are bounded, since one statement takes them all', () => {
  const hirers = (count: number): string[] => Array.from({ length: count }, (_, index) => `hirer${index}`);
  const sinks = (count: number) => [
    { ...CRM, types: ['Type1'], hirers: hirers(4_999) },
    { ...CRM, name: 'other', types: ['Type1'], hirers: hirers(count) },
  ];
  expect(faultsOf({ sinks: sinks(4_999) })).toEqual([]);
  expect(faultsOf({ sinks: sinks(5_000) })).toEqual([expect.stringContaining('are 10001 together')]);
});

test('a file that is missing is a fault', () => {
  expect(faultsOf({ sinks: [CRM] }, { EVENT_SINKS_FILE: join(folder, 'none') })).toEqual([
    'EVENT_SINKS_FILE names a file that cannot be read (ENOENT)',
  ]);
});

test.each(['EVENT_SINK_URL', 'EVENT_SINK_SECRET', 'EVENT_SINK_TYPES', 'EVENT_SINK_HIRERS'])(
  'the file and %s together are a fault',
  (name) => {
    const value = { EVENT_SINK_URL: 'https://a.example', EVENT_SINK_SECRET: SECRET }[name] ?? 'Type1';
    expect(faultsOf({ sinks: [CRM] }, { [name]: value })).toContain(
      `EVENT_SINKS_FILE and ${name} are both set; keep one: the file replaces ${name}`,
    );
  },
);

describe('the sinks of a file', () => {
  const open = (file: unknown, environment: Environment = {}) => {
    const config = load(file, environment);
    const secrets = new Secrets(config);
    return { secrets, opening: openSinks(config, secrets) };
  };

  test('each have their own; what they leave out is as for the single sink', async () => {
    const { opening } = open(
      {
        sinks: [
          { ...CRM, retrySeconds: [1, 2], concurrency: 3, objects: false },
          { ...CRM, name: 'ats' },
        ],
      },
      { EVENT_SINK_CONCURRENCY: '5', EVENT_SINK_RETRY_SECONDS: '7' },
    );
    expect((await opening).map(({ settings }) => settings)).toMatchObject([
      { name: 'crm', concurrency: 3, retrySeconds: [1, 2], objects: false },
      { name: 'ats', concurrency: 5, retrySeconds: [7], objects: true },
    ]);
  });

  test('one of the name default goes on with the deliveries of EVENT_SINK_URL', async () => {
    const { opening } = open({ sinks: [CRM, { ...CRM, name: 'default' }] });
    expect((await opening).map(({ settings, label }) => [settings.name, label])).toEqual([
      ['crm', 'sink:crm'],
      ['default', 'sink'],
    ]);
  });

  test('take new secrets while the service runs, and nothing else', () => {
    const { secrets } = open({ sinks: [CRM] });
    writeFileSync(path, JSON.stringify({ sinks: [{ ...CRM, secret: `${OTHER_SECRET},${SECRET}` }] }));
    expect(secrets.reload()).toEqual({ changed: ['EVENT_SINKS_FILE'], refused: [] });
    expect(secrets.current.EVENT_SINKS_FILE[0]!.keys).toHaveLength(2);
    writeFileSync(path, JSON.stringify({ sinks: [{ ...CRM, hirers: ['a'] }] }));
    expect(secrets.reload()).toEqual({
      changed: [],
      refused: [{ name: 'EVENT_SINKS_FILE', fault: expect.stringContaining('restart the service') }],
    });
    expect(secrets.current.EVENT_SINKS_FILE[0]!.keys).toHaveLength(2);
  });
});
