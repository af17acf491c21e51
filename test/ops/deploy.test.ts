import type { Json } from '../support/ask-token.js';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { SETTINGS } from '../../src/config/settings.js';
import {
  baseImageOf,
  BUILD_STAGE,
  instructionsOf,
  labelsOf,
  valueOf,
  variablesOf,
  settingsIn,
} from '../support/dockerfile.js';
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

  test('of one upstream differ only in whose data it is', () => {
    const [live, mock] = ['seek.env', 'seek-mock-data.env'].map((file) =>
      settingsOf(`deploy/presets/${file}`),
    );
    const differing = Object.keys({ ...live, ...mock }).filter((name) => live![name] !== mock![name]);
    expect(differing).toEqual(['PARTNER_AUDIENCE', 'EVENTS_SCHEME_ID']);
  });

  test('are followed on the page by the settings of bff.env.example', () => {
    const [, block] = /```sh\n(PARTNER_CLIENT_ID=[^`]+)```/.exec(readFileSync('docs/go-live.md', 'utf8'))!;
    const names = [...block!.matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name);
    expect(names.filter((name) => name !== 'EVENT_SINK_URL')).toEqual(Object.keys(example));
  });
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

  test('build and run on the same release of Debian, with the Node.js that the package needs', () => {
    expect(baseImageOf(BUILD_STAGE)).toBe('node:24-trixie-slim');
    expect(baseImageOf()).toMatch(/^gcr\.io\/distroless\/nodejs24-debian13:nonroot@sha256:[0-9a-f]{64}$/);
  });

  test('have labels that say what the image is, and of which commit', () => {
    expect(labelsOf(IMAGE)).toEqual({
      'org.opencontainers.image.title': 'Partner BFF',
      'org.opencontainers.image.version': '${VERSION}',
      'org.opencontainers.image.revision': '${REVISION}',
      'org.opencontainers.image.source': '${SOURCE}',
      'org.opencontainers.image.licenses': 'MIT',
    });
    expect(valueOf(IMAGE, 'ARG')).toBe('VERSION=unknown REVISION=unknown SOURCE=unknown');
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

  test('run the command partner-bff, which starts the service where no other word is given', () => {
    const { bin } = JSON.parse(readFileSync('package.json', 'utf8')) as { bin: Record<string, string> };
    expect(Object.keys(bin)).toEqual(['partner-bff']);
    expect(valueOf(IMAGE, 'CMD')).toBe('["start"]');
  });

  test('publish nothing but the public listener beyond the machine', () => {
    const published = Object.values<Json>(COMPOSE.services).flatMap(({ ports = [] }) => ports);
    expect(published.filter((port: string) => !port.startsWith('127.0.0.1:'))).toEqual(['3000:3000']);
  });

  test('watch the service by the rules and the dashboard there are, each mounted from a file there is', () => {
    const watching = Object.values<Json>(COMPOSE.services).filter(({ profiles }) =>
      profiles?.includes('monitoring'),
    );
    const mounted = watching
      .flatMap(({ volumes }) => volumes)
      .filter((volume: string) => volume.startsWith('./'));
    const files = mounted.map((volume: string) => volume.split(':')[0]!);
    expect(files.filter((file: string) => !existsSync(join('deploy', file)))).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(['./prometheus/alerts.yml', './grafana/partner-bff.json']));
    const {
      scrape_configs: [job],
      alerting,
    } = parse(readFileSync('deploy/prometheus/prometheus.yml', 'utf8'));
    expect(job).toMatchObject({ job_name: 'partner-bff', static_configs: [{ targets: ['bff:3001'] }] });
    expect(job.authorization.credentials_file).toBe(COMPOSE.services.bff.environment.OPS_TOKEN_FILE);
    expect(alerting.alertmanagers[0].static_configs).toEqual([{ targets: ['alertmanager:9093'] }]);
    const { receivers, route } = parse(readFileSync('deploy/prometheus/alertmanager.yml', 'utf8'));
    const named = [route.receiver, ...route.routes.map(({ receiver }: Json) => receiver)];
    expect(receivers.map(({ name }: Json) => name).sort()).toEqual(named.sort());
  });

  test('hand the secret of an HTTP sink over once their lines for it are uncommented', () => {
    const uncommented = readFileSync('deploy/compose.yml', 'utf8').replaceAll(
      /^( *)# (?=.*event-sink-secret)/gm,
      '$1',
    );
    const { services, secrets } = parse(uncommented, { merge: true });
    expect(services.bff.environment.EVENT_SINK_SECRET_FILE).toBe('/run/secrets/event-sink-secret');
    expect(services.bff.secrets).toContain('event-sink-secret');
    expect(secrets['event-sink-secret']).toEqual({ file: 'secrets/event-sink-secret' });
    for (const file of ['kubernetes/overlays/example/settings.env', 'systemd/partner-bff@.service']) {
      const line = /^# (?:Environment=)?EVENT_SINK_SECRET_FILE=\S+[/_]event-sink-secret$/m;
      expect(readFileSync(`deploy/${file}`, 'utf8')).toMatch(line);
    }
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
