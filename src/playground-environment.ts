import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { webhookSecrets, type Config, type Environment } from './config/load-config.js';
import { HirerMemberships } from './hirer-access/memberships.js';
import { startPlayground, type Playground } from './playground/playground.js';
import type { Service } from './service.js';

const END_USER_SETTINGS = ['END_USER_JWKS_URL', 'END_USER_PUBLIC_KEY', 'END_USER_SECRET'];
const KEY_SETTINGS = ['USER_ID_KEY', 'SEALING_KEY'] as const;
const KEY_BYTES = 48;

/** A running playground, and the environment that points the service at it as it would be pointed at a real upstream. */
export interface PlaygroundEnvironment {
  readonly playground: Playground;
  readonly environment: Environment;
}

/**
 * Starts the playground and fills in every setting the user left open: whoever brings keys of their own for end users
 * keeps the issuer and audience open too.
 */
export async function preparePlayground(
  config: Config,
  environment: Environment,
): Promise<PlaygroundEnvironment> {
  const playground = await startPlayground({ port: config.PLAYGROUND_PORT });
  const ownEndUsers = END_USER_SETTINGS.some((name) => environment[name] || environment[`${name}_FILE`]);
  const offered = Object.entries(playground.settings).filter(
    ([name]) => !(ownEndUsers && name.startsWith('END_USER_')),
  );
  return {
    playground,
    environment: {
      HOST: '127.0.0.1',
      LOG_FORMAT: 'pretty',
      ...Object.fromEntries(offered),
      ...keptKeys(config.DATA_DIR),
      ...withoutEmpty(environment),
    },
  };
}

/** Gives the demo users their memberships, unless there are some already: what ops changed since stays changed. */
export async function seedMemberships({ app }: Service, { demo }: Playground): Promise<void> {
  const memberships = app.get(HirerMemberships);
  if ((await memberships.list({})).items.length > 0) return;
  for (const { subject, hirerId, roles } of demo.memberships) {
    await memberships.grant(subject, hirerId, roles, { requestId: randomUUID(), address: 'process' });
  }
}

/** Has the playground send its change events to the service, as a subscription at a real upstream would. */
export function subscribeToEvents({ publicUrl }: Service, playground: Playground, config: Config): void {
  const [secret] = webhookSecrets(config);
  if (secret !== undefined) playground.subscribe({ url: `${publicUrl}/webhooks`, secret });
}

function withoutEmpty(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value));
}

/** Keys made at the first start and kept beside the embedded database, so that pseudonyms survive a restart. */
function keptKeys(dataDir: string): Record<string, string> {
  const file = join(dataDir, 'playground-keys.json');
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
  const made = Object.fromEntries(
    KEY_SETTINGS.map((name) => [name, randomBytes(KEY_BYTES).toString('base64url')]),
  );
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(file, JSON.stringify(made, null, 2), { mode: 0o600 });
  return made;
}
