import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '../../test/support/machine.js';
import { ecKeys, pemOf, rsaKeys } from '../../test/support/sign-token.js';
import { loadConfig } from './load-config.js';
import { Secrets } from './secrets.js';

const folder = newFolder();

function write(name: string, value: string): string {
  const file = join(folder, name);
  writeFileSync(file, value);
  return file;
}

test('a rotated value is parsed as at start, and refused or accepted for each setting on its own', () => {
  const first = pemOf(rsaKeys());
  const secrets = new Secrets(
    loadConfig(
      {
        END_USER_PUBLIC_KEY_FILE: write('key', first),
        END_USER_ALGORITHMS: 'RS256',
        WEBHOOK_SECRETS_FILE: write('webhooks', 'a-webhook-secret-1'),
        EVENT_SINK_SECRET_FILE: write('sink', `whsec_${'A'.repeat(32)}`),
      },
      true,
    ),
  );
  expect(secrets.reload()).toEqual({ changed: [], refused: [] });
  const before = secrets.current;

  write('key', pemOf(ecKeys()));
  write('webhooks', 'a-webhook-secret-3,a-webhook-secret-1');
  write('sink', 'short');
  expect(secrets.reload()).toEqual({
    changed: ['WEBHOOK_SECRETS'],
    refused: [
      {
        name: 'END_USER_PUBLIC_KEY',
        fault: expect.stringContaining('END_USER_ALGORITHMS does not fit END_USER_PUBLIC_KEY'),
      },
      {
        name: 'EVENT_SINK_SECRET',
        fault: expect.stringContaining('EVENT_SINK_SECRET'),
      },
    ],
  });
  expect(secrets.current).toMatchObject({ WEBHOOK_SECRETS: ['a-webhook-secret-3', 'a-webhook-secret-1'] });
  expect(secrets.current.END_USER_PUBLIC_KEY).toBe(before.END_USER_PUBLIC_KEY);
  expect(secrets.current.EVENT_SINK_SECRET).toBe(before.EVENT_SINK_SECRET);
});

test('a value that a user of the secret rejects is not in force for anyone', () => {
  const secrets = new Secrets(loadConfig({ WEBHOOK_SECRETS_FILE: write('used', 'a-webhook-secret-1') }));
  secrets.onChange('WEBHOOK_SECRETS', () => {
    throw new Error('WEBHOOK_SECRETS cannot be used');
  });
  write('used', 'a-webhook-secret-2');
  expect(secrets.reload().refused).toHaveLength(1);
  expect(secrets.current.WEBHOOK_SECRETS).toEqual(['a-webhook-secret-1']);
});
