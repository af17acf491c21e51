import { readFileSync } from 'node:fs';
import { SETTINGS } from '../../src/config/settings.js';

const UNIT = readFileSync('deploy/systemd/partner-bff@.service', 'utf8');
const valuesOf = (name: string): string[] =>
  [...UNIT.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value!);
const pairs = valuesOf('Environment').flatMap((line) => line.split(' ').map((pair) => pair.split('=')));
const environment = Object.fromEntries(pairs) as Record<string, string>;

describe('the systemd unit', () => {
  test('sets settings there are; each secret is one of the credentials that it loads', () => {
    const OF_THE_RUNTIME = ['NODE_ENV', 'MALLOC_ARENA_MAX'];
    const names = Object.keys(environment).filter((name) => !OF_THE_RUNTIME.includes(name));
    expect(names.filter((name) => !(name.replace(/_FILE$/, '') in SETTINGS))).toEqual([]);
    const [credentials] = valuesOf('LoadCredential').map((value) => value.split(':')[0]!);
    const files = names.filter((name) => name.endsWith('_FILE')).map((name) => environment[name]!);
    expect(files.length).toBeGreaterThan(3);
    expect(files.filter((file) => !file.startsWith(`%d/${credentials}_`))).toEqual([]);
  });

  test('starts Node.js with the variables that `npm start` gives it, and keeps its data where it may write', () => {
    const { config } = JSON.parse(readFileSync('package.json', 'utf8')) as { config: { node: string } };
    const [variables, flags] = config.node.replace(/^env /, '').split(/ ?\bnode\b ?/);
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
