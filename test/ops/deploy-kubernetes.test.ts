import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { SETTINGS } from '../../src/config/settings.js';
import type { Json } from '../support/ask-token.js';
import { settingsIn } from '../support/dockerfile.js';

const ROOT = 'deploy/kubernetes';
const OVERLAY = `${ROOT}/overlays/example`;
const settingsOf = (file: string): Record<string, string> => settingsIn(readFileSync(file, 'utf8'));

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
const DOCKERFILE = readFileSync('deploy/Dockerfile', 'utf8');
const SETTING_FILES = [`${ROOT}/base/settings.env`, `${OVERLAY}/settings.env`];

describe('the settings', () => {
  test.each(SETTING_FILES)('in %s exist, and none is a secret in plain text', (file) => {
    const names = Object.keys(settingsOf(file));
    expect(names.filter((name) => !(name.replace(/_FILE$/, '') in SETTINGS))).toEqual([]);
    const secrets = Object.entries(SETTINGS).filter(([, { secret }]) => secret);
    expect(secrets.map(([name]) => name).filter((name) => names.includes(name))).toEqual([]);
  });
});

describe('the pod', () => {
  const { spec: pod } = ofKind('Deployment').spec.template;
  const [container] = pod.containers;

  test('runs as the user of the image, on a root file system that it cannot write to', () => {
    const [, uid, gid] = /^USER (\d+):(\d+)$/m.exec(DOCKERFILE)!;
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

describe('the deployment', () => {
  const { spec: pod } = ofKind('Deployment').spec.template;
  const [container] = pod.containers;
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
