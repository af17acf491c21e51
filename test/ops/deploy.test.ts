import type { Json } from '../support/ask-token.js';
import { readFileSync } from 'node:fs';
import { parse, parseAllDocuments } from 'yaml';
import { SETTINGS } from '../../src/config/settings.js';

const COMPOSE = parse(readFileSync('deploy/compose.yml', 'utf8'), { merge: true });
const OBJECTS: Json[] = parseAllDocuments(readFileSync('deploy/kubernetes/partner-bff.yml', 'utf8')).map(
  (document) => {
    expect(document.errors).toEqual([]);
    return document.toJS();
  },
);
const DOCKERFILE = readFileSync('deploy/Dockerfile', 'utf8');

const isSetting = (name: string): boolean => name.replace(/_FILE$/, '') in SETTINGS;
const ofKind = (kind: string): Json => OBJECTS.find((object) => object.kind === kind);

describe('deployment files', () => {
  const { spec: pod } = ofKind('Deployment').spec.template;
  const [container] = pod.containers;

  test('set no setting that there is not', () => {
    const example = readFileSync('deploy/bff.env.example', 'utf8');
    const names = [
      ...Object.keys(ofKind('ConfigMap').data),
      ...Object.keys(COMPOSE.services.bff.environment),
      ...[...example.matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name!),
    ];
    expect(names.filter((name) => !isSetting(name))).toEqual([]);
  });

  test('give no secret in plain text', () => {
    const plain = [
      ...Object.keys(ofKind('ConfigMap').data),
      ...Object.keys(COMPOSE.services.bff.environment),
    ];
    const secrets = Object.entries(SETTINGS).filter(([, { secret }]) => secret);
    expect(secrets.map(([name]) => name).filter((name) => plain.includes(name))).toEqual([]);
  });

  test('run without root, without capabilities, on a root file system that cannot be written', () => {
    expect(DOCKERFILE).toMatch(/^FROM .*:nonroot$/m);
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    for (const service of Object.values<Json>(COMPOSE.services)) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    }
  });

  test('run as one user, who owns what may be written and can read the secrets', () => {
    const [, uid, gid] = /^USER (\d+):(\d+)$/m.exec(DOCKERFILE)!;
    const [volume] = /(?<=^VOLUME ).+$/m.exec(DOCKERFILE)!;
    expect(DOCKERFILE).toMatch(new RegExp(`^COPY .*--chown=${uid}:${gid} \\S+ ${volume}$`, 'm'));
    expect(COMPOSE.services.bff.tmpfs).toContain(`${volume}:uid=${uid},gid=${gid},mode=0700`);
    expect(pod.securityContext).toMatchObject({
      runAsUser: Number(uid),
      runAsGroup: Number(gid),
      fsGroup: Number(gid),
    });
    const { secret } = pod.volumes.find(({ name }: Json) => name === 'secrets');
    expect(secret.defaultMode & 0o040).toBe(0o040);
  });

  test('build and run on the same release of Debian, with the Node.js that the package needs', () => {
    const [build, run] = [...DOCKERFILE.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image!);
    expect(build).toBe('node:24-trixie-slim');
    expect(run).toBe('gcr.io/distroless/nodejs24-debian13:nonroot');
  });

  test('start Node.js with the flags and variables that `npm start` gives it', () => {
    const { config } = JSON.parse(readFileSync('package.json', 'utf8')) as { config: { node: string } };
    const [variables, flags] = config.node.replace(/^env /, '').split(/ ?\bnode\b ?/);
    const [set] = /(?<=^ENV ).+$/m.exec(DOCKERFILE)!;
    const ofService = (name: string): boolean => name === 'NODE_ENV' || isSetting(name);
    expect(set.split(' ').filter((pair) => !ofService(pair.split('=')[0]!))).toEqual(variables!.split(' '));
    const [command] = /(?<=^ENTRYPOINT ).+$/m.exec(DOCKERFILE)!;
    expect(JSON.parse(command)).toEqual([
      '/nodejs/bin/node',
      ...flags!.split(' ').filter(Boolean),
      'bundle/main.js',
    ]);
  });

  test('run the command partner-bff, which starts the service where no other word is given', () => {
    const { bin } = JSON.parse(readFileSync('package.json', 'utf8')) as { bin: Record<string, string> };
    expect(Object.keys(bin)).toEqual(['partner-bff']);
    expect(DOCKERFILE).toMatch(/^CMD \["start"\]$/m);
  });

  test('probe the routes there are, and give a stop the time it needs', () => {
    expect(container.livenessProbe.httpGet).toEqual({ path: '/livez', port: 'ops' });
    expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'ops' });
    const { SHUTDOWN_DELAY_MS } = ofKind('ConfigMap').data;
    const neededMs = Number(SHUTDOWN_DELAY_MS) + Number(SETTINGS.SHUTDOWN_TIMEOUT_MS.fallback);
    expect(pod.terminationGracePeriodSeconds * 1000).toBeGreaterThan(neededMs);
    expect(container.resources.limits.memory).toBeDefined();
  });

  test('keep the ops listener from the outside', () => {
    expect(COMPOSE.services.bff.ports).toContain('127.0.0.1:3001:3001');
    const service = OBJECTS.find(
      ({ kind, metadata }) => kind === 'Service' && metadata.name === 'partner-bff',
    );
    expect(service.spec.ports.map(({ targetPort }: Json) => targetPort)).toEqual(['public']);
  });
});
