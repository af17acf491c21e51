import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { newFolder, programOf } from '../support/machine.js';
import type { Json } from '../support/start-stack.js';

const ROOT = 'deploy/kubernetes';
const OVERLAY = `${ROOT}/overlays/example`;
const UNIT = readFileSync('deploy/systemd/partner-bff@.service', 'utf8');

test('the overlay is rendered by kubectl: every object in the namespace, with the settings and the image', () => {
  const { stdout, stderr } = spawnSync(programOf('kubectl', 'kubernetes-client'), ['kustomize', OVERLAY], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  const rendered: Json[] = parseAllDocuments(stdout).map((document) => document.toJS());
  const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.yml'),
  );
  const kinds = files.flatMap(
    (name) => readFileSync(join(ROOT, name), 'utf8').match(/(?<=^kind: ).+$/gm) ?? [],
  );
  expect(rendered.map(({ kind }) => kind).sort()).toEqual([...kinds, 'ConfigMap'].sort());
  expect(new Set(rendered.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['partner-bff']));
  const settings = rendered.find(({ kind }) => kind === 'ConfigMap');
  expect(settings.data).toMatchObject({ UPSTREAM_BATCHING: 'fanout', SHUTDOWN_DELAY_MS: '5000' });
  const [container] = rendered.find(({ kind }) => kind === 'Deployment').spec.template.spec.containers;
  expect(container.image).toBe('registry.partner.example/partner-bff:0.1.0');
  expect(container.envFrom).toEqual([{ configMapRef: { name: settings.metadata.name } }]);
});

test('the unit is accepted by systemd, and shuts the service in', () => {
  const systemd = programOf('systemd-analyze', 'systemd');
  const folder = newFolder();
  const file = join(folder, 'partner-bff@1.service');
  writeFileSync(file, UNIT.replace(/^ExecStart=.*$/m, `ExecStart=${process.execPath} main.js`));
  const verified = spawnSync(systemd, ['verify', file], { encoding: 'utf8' });
  expect([verified.status, verified.stderr]).toEqual([0, '']);
  const judged = spawnSync(systemd, ['security', '--offline=true', '--threshold=20', file], {
    encoding: 'utf8',
  });
  expect(judged.stdout).toMatch(/Overall exposure level .*: 1\.\d OK/);
  expect(judged.status).toBe(0);
});
