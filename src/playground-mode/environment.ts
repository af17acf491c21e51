import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { startPlayground, Playground } from 'partner-bff-playground';
import { ConfigError, type Config, type Environment } from '../config/load-config.js';
import { listenFault } from '../config/faults/start-faults.js';
import { MembershipsService } from '../hirer-access/memberships.service.js';
import type { Service } from '../service.js';

const KEY_SETTINGS = ['USER_ID_KEY', 'SEALING_KEY'] as const;
const KEY_BYTES = 48;

/**
 * Loads the playground, a package of its own that a production installation leaves out.
 * @throws ConfigError when it is not installed
 */
export async function loadPlayground() {
  try {
    const { startPlayground } = await import('partner-bff-playground');
    const { demoPageRoutes } = await import('partner-bff-playground/demo-page');
    return { startPlayground, demoPageRoutes };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new ConfigError([
      'UPSTREAM_URL is required: playground mode needs the package partner-bff-playground, which is not installed here',
    ]);
  }
}

/**
 * Starts the playground and fills in every setting that was left open, so that the environment points the service at it as
 * at a real upstream.
 * @throws ConfigError when the store in `DATA_DIR` was not made by a playground; nothing is written then
 */
export async function preparePlayground(
  start: typeof startPlayground,
  config: Config,
  environment: Environment,
): Promise<{ playground: Playground; environment: Environment }> {
  const { checkStore } = await import('../storage/sqlite/check-store.js');
  checkStore(config.DATA_DIR, 'playground');
  const { PLAYGROUND_PORT: port, PLAYGROUND_HOSTS: hosts } = config;
  const playground = await start({ port, hosts, switches: { mutations: 'stateful' } }).catch(
    (error: unknown) => {
      throw listenFault(error, 'PLAYGROUND_PORT', 'PLAYGROUND_PORT');
    },
  );
  const offered = {
    ...playground.settings,
    ...sinkSettings(playground, environment),
    ...keptKeys(config.DATA_DIR),
  };
  const open = Object.entries(offered).filter(([name]) => !environment[`${name}_FILE`]);
  return { playground, environment: { ...Object.fromEntries(open), ...withoutEmpty(environment) } };
}

/** The playground's own sink, unless the environment says where events come from or go to; several sinks get its events. */
function sinkSettings(playground: Playground, environment: Environment): Environment {
  const isOwn = Object.entries(environment).some(
    ([name, value]) => /^(EVENT_SINK|WEBHOOK)_/.test(name) && value,
  );
  const offered = Object.entries(isOwn ? {} : playground.sinkSettings);
  const isSeveral = Boolean(environment['EVENT_SINKS_FILE']);
  return Object.fromEntries(offered.filter(([name]) => !isSeveral || !name.startsWith('EVENT_SINK_')));
}

/**
 * Makes a service known to the playground that it runs against: subscribes it to events, as it would be subscribed at a real
 * upstream, lets its demo page make them happen, and gives the demo users their memberships.
 */
export async function joinPlayground(
  service: Service,
  playground: Playground,
  config: Config,
): Promise<void> {
  if (config.HIRER_ACCESS === 'database') await seedMemberships(service, playground);
  playground.keepWebhooksFrom(service.opsUrl);
  playground.openToPagesOf(service.publicUrl);
  const [secret] = config.WEBHOOK_SECRETS;
  if (secret !== undefined) playground.subscribe({ url: `${service.publicUrl}/webhooks`, secret });
}

/** Memberships only if there are none yet, so that changes made since are kept. */
async function seedMemberships({ app }: Service, { demo }: Playground): Promise<void> {
  const memberships = app.get(MembershipsService);
  if ((await memberships.list({})).items.length > 0) return;
  for (const { subject: user, hirerId, roles } of demo.memberships) {
    await memberships.grant({ user, hirerId, roles }, { requestId: randomUUID(), address: 'process' });
  }
}

function withoutEmpty(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value));
}

/** Keys generated on first start and kept beside the embedded database, so that pseudonyms survive a restart. */
function keptKeys(dataDir: string): Record<string, string> {
  const file = join(dataDir, 'playground-keys.json');
  if (existsSync(file)) return readKeys(file);
  const made = Object.fromEntries(
    KEY_SETTINGS.map((name) => [name, randomBytes(KEY_BYTES).toString('base64url')]),
  );
  if (dataDir === ':memory:') return made;
  writeFileSync(file, JSON.stringify(made, null, 2), { mode: 0o600 });
  return made;
}

function readKeys(file: string): Record<string, string> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
  } catch (error) {
    const { code = 'no JSON' } = error as NodeJS.ErrnoException;
    throw new ConfigError([
      `DATA_DIR holds a playground-keys.json that cannot be read (${code}): remove that file`,
    ]);
  }
}
