import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'bff-tools-'));

/** A program of that name, in a folder that holds nothing else. */
function anExecutable(name: string): string {
  const path = join(folder, name);
  writeFileSync(path, '#!/bin/sh\n');
  chmodSync(path, 0o755);
  return path;
}

function checkTools(environment: Record<string, string>): { status: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/check-tools.js'], {
    env: environment,
    encoding: 'utf8',
  });
  return { status, text: stdout + stderr };
}

describe('npm run check leaves nothing out silently', () => {
  const chromium = anExecutable('chromium');
  anExecutable('promtool');
  const optional = [
    'python3',
    'nginx',
    'pgbouncer',
    'nats-server',
    'rabbitmq-server',
    'kubectl',
    'systemd-analyze',
  ];
  for (const name of optional) anExecutable(name);
  const tools = { PATH: folder, CHROMIUM_PATH: chromium };
  const servers = {
    TEST_DATABASE_URL: 'postgres://127.0.0.1/test',
    TEST_REDIS_URL: 'redis://127.0.0.1',
    TEST_NATS_URL: 'nats://127.0.0.1',
    TEST_AMQP_URL: 'amqp://127.0.0.1',
  };

  test('with every tool it says nothing', () => {
    expect(checkTools({ ...tools, ...servers })).toEqual({ status: 0, text: '' });
  });

  test.each([
    ['Chromium', { CHROMIUM_PATH: '/nowhere/chromium' }, 'apt-get install -y chromium'],
    ['promtool', { PATH: '/nowhere' }, 'apt-get install -y prometheus'],
  ])('without %s it fails and says how to install it', (_tool, without, advice) => {
    const { status, text } = checkTools({ ...tools, ...servers, ...without });
    expect(status).toBe(1);
    expect(text).toContain(advice);
  });

  test.each(optional)('without %s it says what is not tested', (program) => {
    const bin = mkdtempSync(join(tmpdir(), 'bff-tools-'));
    for (const name of ['promtool', ...optional.filter((name) => name !== program)]) {
      writeFileSync(join(bin, name), '#!/bin/sh\n', { mode: 0o755 });
    }
    const { status, text } = checkTools({ ...tools, ...servers, PATH: bin });
    expect(status).toBe(0);
    expect(text).toMatch(new RegExp(`^${program} is not installed: .* is not \\w+\\.\n$`));
  });

  test.each([
    ['TEST_DATABASE_URL', 'PostgreSQL'],
    ['TEST_REDIS_URL', 'Redis'],
    ['TEST_NATS_URL', 'NATS'],
    ['TEST_AMQP_URL', 'RabbitMQ'],
  ])('without %s it says that %s is not tested', (name, server) => {
    const { status, text } = checkTools({ ...tools, ...servers, [name]: '' });
    expect(status).toBe(0);
    expect(text).toMatch(new RegExp(`^${name} is not set: .*${server}.*\n$`));
  });
});
