import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config, Environment } from './config/load-config.js';
import { listenFault } from './config/start-faults.js';
import { HirerMemberships } from './hirer-access/memberships.js';
import { startPlayground, type Playground } from './playground/playground.js';
import type { Service } from './service.js';
import { checkStore } from './storage/check-store.js';

const KEY_SETTINGS = ['USER_ID_KEY', 'SEALING_KEY'] as const;
const KEY_BYTES = 48;

/** A running playground, and the environment that points the service at it as it would be pointed at a real upstream. */
export interface PlaygroundEnvironment {
  readonly playground: Playground;
  readonly environment: Environment;
}

/**
 * Starts the playground and fills in every setting that was left open.
 * @throws ConfigError when the store in `DATA_DIR` was not made by a playground; nothing is written then
 */
export async function preparePlayground(
  config: Config,
  environment: Environment,
): Promise<PlaygroundEnvironment> {
  checkStore(config.DATA_DIR, 'playground');
  const playground = await startPlayground({ port: config.PLAYGROUND_PORT }).catch((error: unknown) => {
    throw listenFault(error, 'PLAYGROUND_PORT', 'PLAYGROUND_PORT');
  });
  const offered = {
    HOST: '127.0.0.1',
    LOG_FORMAT: 'pretty',
    ...playground.settings,
    ...keptKeys(config.DATA_DIR),
  };
  const open = Object.entries(offered).filter(([name]) => !environment[`${name}_FILE`]);
  return { playground, environment: { ...Object.fromEntries(open), ...withoutEmpty(environment) } };
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
  const [secret] = config.WEBHOOK_SECRETS;
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
  if (dataDir === ':memory:') return made;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(file, JSON.stringify(made, null, 2), { mode: 0o600 });
  return made;
}
