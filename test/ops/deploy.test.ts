import type { Json } from '../support/ask-token.js';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { SETTINGS } from '../../src/config/settings.js';
import { baseImageOf, instructionsOf, valueOf, variablesOf, settingsIn } from '../support/dockerfile.js';
import { runCommand } from '../support/start-process.js';

const COMPOSE = parse(readFileSync('deploy/compose.yml', 'utf8'), { merge: true });
const IMAGE = instructionsOf();

const isSetting = (name: string): boolean => name.replace(/_FILE$/, '') in SETTINGS;

const settingsOf = (file: string): Record<string, string> => settingsIn(readFileSync(file, 'utf8'));
const aKey = (): string => randomBytes(48).toString('base64');

describe('presets', () => {
  const PRESETS = readdirSync('deploy/presets').map((file) => [file] as const);
  const example = settingsOf('deploy/bff.env.example');
  const secrets = { PARTNER_CLIENT_SECRET: 's', USER_ID_KEY: aKey(), SEALING_KEY: aKey() };

  test.each(PRESETS)(
    "%s and bff.env.example are accepted by check, apart from what is the partner's",
    async (file) => {
      const environment = { ...settingsOf(`deploy/presets/${file}`), ...example, DATA_DIR: ':memory:' };
      const refused = await runCommand(['check'], environment);
      const missing = [...refused.err.matchAll(/^ {2}- (\w+)(.*)$/gm)].map(([, name, fault]) => [
        name,
        fault,
      ]);
      const required = ' is required outside playground mode';
      expect(missing).toEqual(['PARTNER_CLIENT_ID', ...Object.keys(secrets)].map((name) => [name, required]));
      const accepted = await runCommand(['check'], {
        ...environment,
        ...secrets,
        PARTNER_CLIENT_ID: 'a-client',
      });
      expect(accepted).toMatchObject({ code: 0, err: '' });
      expect(accepted.out).toMatch(/^UPSTREAM_URL=https:.*\n(.*\n)*UPSTREAM_BATCHING=fanout$/m);
    },
  );
});

describe('deployment files', () => {
  test('set no setting that there is not', () => {
    const names = [
      ...Object.keys(COMPOSE.services.bff.environment),
      ...Object.keys(settingsOf('deploy/bff.env.example')),
      ...readdirSync('deploy/presets').flatMap((file) => Object.keys(settingsOf(`deploy/presets/${file}`))),
    ];
    expect(names.filter((name) => !isSetting(name))).toEqual([]);
  });

  test('give no secret in plain text', () => {
    const plain = [...Object.keys(COMPOSE.services.bff.environment)];
    const secrets = Object.entries(SETTINGS).filter(([, { secret }]) => secret);
    expect(secrets.map(([name]) => name).filter((name) => plain.includes(name))).toEqual([]);
  });

  test('run without root, without capabilities, on a root file system that cannot be written', () => {
    expect(baseImageOf()).toMatch(/:nonroot@/);
    for (const service of Object.values<Json>(COMPOSE.services)) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    }
  });

  test('run as one user, who owns what may be written and can read the secrets', () => {
    const [, uid, gid] = /^USER (\d+):(\d+)$/m.exec(IMAGE)!;
    const volume = valueOf(IMAGE, 'VOLUME');
    expect(IMAGE).toMatch(new RegExp(`^COPY .*--chown=${uid}:${gid} \\S+ ${volume}$`, 'm'));
    expect(COMPOSE.services.bff.tmpfs).toContain(`${volume}:uid=${uid},gid=${gid},mode=0700`);
  });

  test('carry the playground in a stage of its own, which listens on loopback and is not what is built', () => {
    const { HOST, OPS_HOST } = variablesOf(instructionsOf('playground'));
    expect([HOST, OPS_HOST]).toEqual(['127.0.0.1', '127.0.0.1']);
    expect(instructionsOf('playground')).toMatch(/\bplayground\/dist\b[^]*^CMD \["playground"\]$/m);
    expect(IMAGE).not.toContain('playground/dist');
  });

  test('start Node.js with the flags and variables that `npm start` gives it', () => {
    const { config } = JSON.parse(readFileSync('package.json', 'utf8')) as { config: { node: string } };
    const [variables, flags] = config.node.replace(/^env /, '').split(/ ?\bnode\b ?/);
    const set = valueOf(IMAGE, 'ENV');
    const ofService = (name: string): boolean => name === 'NODE_ENV' || isSetting(name);
    expect(set.split(' ').filter((pair) => !ofService(pair.split('=')[0]!))).toEqual(variables!.split(' '));
    expect(JSON.parse(valueOf(IMAGE, 'ENTRYPOINT'))).toEqual([
      '/nodejs/bin/node',
      ...flags!.split(' ').filter(Boolean),
      'bundle/main.js',
    ]);
  });

  test('publish nothing but the public listener beyond the machine', () => {
    const published = Object.values<Json>(COMPOSE.services).flatMap(({ ports = [] }) => ports);
    expect(published.filter((port: string) => !port.startsWith('127.0.0.1:'))).toEqual(['3000:3000']);
  });

  test('name every secret that a container mounts', () => {
    const mounted = Object.values<Json>(COMPOSE.services).flatMap(({ secrets = [] }) => secrets);
    expect([...new Set(mounted)].sort()).toEqual(Object.keys(COMPOSE.secrets).sort());
    const paths = Object.values<string>(COMPOSE.services.bff.environment).filter((value) =>
      value.startsWith('/run/'),
    );
    expect(paths.map((path) => path.replace('/run/secrets/', '')).sort()).toEqual(
      [...COMPOSE.services.bff.secrets].sort(),
    );
  });
});
