import type { Json } from '../support/start-stack.js';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { SETTINGS } from '../../src/config/settings.js';
import { baseImageOf, instructionsOf, valueOf, variablesOf, settingsIn } from '../packages/dockerfile.js';
import { runCommand } from '../support/start-process.js';

const COMPOSE = parse(readFileSync('deploy/compose.yml', 'utf8'), { merge: true });
const IMAGE = instructionsOf();
const [, uid, gid] = /^USER (\d+):(\d+)$/m.exec(IMAGE)!;

const ROOT = 'deploy/kubernetes';
const OVERLAY = `${ROOT}/overlays/example`;

/** Of Node.js, as `npm start` gives them. */
const { config } = JSON.parse(readFileSync('package.json', 'utf8')) as { config: { node: string } };
const [variables, flags] = config.node.replace(/^env /, '').split(/ ?\bnode\b ?/);

const isSetting = (name: string): boolean => name.replace(/_FILE$/, '') in SETTINGS;

const settingsOf = (file: string): Record<string, string> => settingsIn(readFileSync(file, 'utf8'));
const SETTING_FILES = [`${ROOT}/base/settings.env`, `${OVERLAY}/settings.env`];
const OF_KUBERNETES = SETTING_FILES.flatMap((file) => Object.keys(settingsOf(file)));
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
      ...OF_KUBERNETES,
    ];
    expect(names.filter((name) => !isSetting(name))).toEqual([]);
  });

  test('give no secret in plain text', () => {
    const plain = [...Object.keys(COMPOSE.services.bff.environment), ...OF_KUBERNETES];
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

const UNIT = readFileSync('deploy/systemd/partner-bff@.service', 'utf8');
const valuesOf = (name: string): string[] =>
  [...UNIT.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value!);
const pairs = valuesOf('Environment').flatMap((line) => line.split(' ').map((pair) => pair.split('=')));
const environment = Object.fromEntries(pairs) as Record<string, string>;

describe('the systemd unit', () => {
  test('sets settings there are; each secret is one of the credentials that it loads', () => {
    const OF_THE_RUNTIME = ['NODE_ENV', 'MALLOC_ARENA_MAX'];
    const names = Object.keys(environment).filter((name) => !OF_THE_RUNTIME.includes(name));
    expect(names.filter((name) => !isSetting(name))).toEqual([]);
    const [credentials] = valuesOf('LoadCredential').map((value) => value.split(':')[0]!);
    const files = names.filter((name) => name.endsWith('_FILE')).map((name) => environment[name]!);
    expect(files.length).toBeGreaterThan(3);
    expect(files.filter((file) => !file.startsWith(`%d/${credentials}_`))).toEqual([]);
  });

  test('starts Node.js with the variables that `npm start` gives it, and keeps its data where it may write', () => {
    expect(pairs.map((pair) => pair.join('='))).toEqual(expect.arrayContaining(variables!.split(' ')));
    const [command] = valuesOf('ExecStart');
    expect(command!.split(' ').slice(1, -2)).toEqual(flags!.split(' ').filter(Boolean));
    expect(environment['DATA_DIR']).toBe(`/var/lib/${valuesOf('StateDirectory')[0]}`);
  });

  test('is not started again for a wrong setting, and gives a stop the time it needs', () => {
    expect(valuesOf('RestartPreventExitStatus')).toEqual(['78']);
    const neededMs =
      Number(SETTINGS.SHUTDOWN_DELAY_MS.fallback) + Number(SETTINGS.SHUTDOWN_TIMEOUT_MS.fallback);
    expect(Number(valuesOf('TimeoutStopSec')[0]) * 1000).toBeGreaterThan(neededMs + 1_000);
  });
});

const FILES = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.yml'))
  .map((name) => join(ROOT, name));
const OBJECTS: Json[] = FILES.flatMap((file) => objectsIn(readFileSync(file, 'utf8')));

function objectsIn(text: string): Json[] {
  return parseAllDocuments(text).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS();
  });
}

const ofKind = (kind: string): Json => OBJECTS.find((object) => object.kind === kind);
const { spec: pod } = ofKind('Deployment').spec.template;
const [container] = pod.containers;

describe('the pod of Kubernetes', () => {
  test('runs as the user of the image, on a root file system that it cannot write to', () => {
    expect(pod.securityContext).toEqual({
      runAsNonRoot: true,
      runAsUser: Number(uid),
      runAsGroup: Number(gid),
      fsGroup: Number(gid),
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container.resources.limits.memory).toBeDefined();
  });

  test('reads its secrets as its group, from where the settings name them', () => {
    const { secret } = pod.volumes.find(({ name }: Json) => name === 'secrets');
    expect(secret.defaultMode & 0o040).toBe(0o040);
    const { mountPath } = container.volumeMounts.find(({ name }: Json) => name === 'secrets');
    const paths = Object.values(settingsOf(SETTING_FILES[0]!)).filter((value) => value.startsWith('/'));
    expect(paths.filter((path) => !path.startsWith(`${mountPath}/`))).toEqual([]);
  });
});

describe('the deployment of Kubernetes', () => {
  const ports = Object.fromEntries(container.ports.map((port: Json) => [port.name, port.containerPort]));

  test('probes the routes there are, and trips on no single hiccup', () => {
    expect(container.startupProbe.httpGet).toEqual({ path: '/livez', port: 'ops' });
    expect(container.livenessProbe.httpGet).toEqual({ path: '/livez', port: 'ops' });
    expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'ops' });
    const { livenessProbe: live, readinessProbe: ready } = container;
    expect(ready.failureThreshold).toBeGreaterThanOrEqual(3);
    expect(live.failureThreshold * live.periodSeconds).toBeGreaterThanOrEqual(60);
    expect(container.startupProbe.failureThreshold * container.startupProbe.periodSeconds).toBeGreaterThan(
      10,
    );
  });

  test('gives a stop the time it needs', () => {
    const delayMs = Number(settingsOf(SETTING_FILES[0]!)['SHUTDOWN_DELAY_MS']);
    const neededMs = delayMs + Number(SETTINGS.SHUTDOWN_TIMEOUT_MS.fallback) + 1_000;
    expect(pod.terminationGracePeriodSeconds * 1000).toBeGreaterThan(neededMs);
  });

  test('keeps the ops listener from the outside, and has replicas scraped that are not ready', () => {
    const services = OBJECTS.filter(({ kind }) => kind === 'Service');
    const [open, ops] = services.map(({ spec }) => spec);
    expect(open.ports.map(({ targetPort }: Json) => targetPort)).toEqual(['public']);
    expect(ops).toMatchObject({ clusterIP: 'None', publishNotReadyAddresses: true });
    const { ingress } = ofKind('NetworkPolicy').spec;
    const everybody = ingress.filter(({ from }: Json) => from === undefined);
    expect(everybody).toEqual([{ ports: [{ port: ports.public }] }]);
  });
});
