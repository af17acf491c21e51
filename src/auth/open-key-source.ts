import { ConfigError, type Config } from '../config/load-config.js';
import type { Secrets, SecretValues } from '../config/secrets.js';
import type { DependencyClients } from '../http/outgoing/dependency-client.js';
import type { Log } from '../telemetry/log.js';
import { FixedKeySource } from './fixed-key-source.js';
import { JwksKeySource } from './jwks-key-source.js';
import type { KeySource } from './key-source.js';
import { RotatingKeySource } from './rotating-key-source.js';

type KeySettings = Pick<
  Config,
  'END_USER_JWKS_URL' | 'END_USER_PUBLIC_KEY' | 'END_USER_SECRET' | 'END_USER_ALGORITHMS'
>;

/** One request serves all callers. */
const CONNECTIONS_MAX = 2;

/**
 * The key source that the settings select. A JWK set is fetched before this resolves; if that fails, the service starts
 * anyway, is not ready, and keeps trying.
 * @throws ConfigError when none is set
 */
export async function openKeySource(
  config: KeySettings,
  secrets: Secrets,
  clients: DependencyClients,
  log: Log,
): Promise<KeySource> {
  const algorithms = config.END_USER_ALGORITHMS;
  if (config.END_USER_PUBLIC_KEY.length > 0) {
    return openRotating('END_USER_PUBLIC_KEY', secrets, ({ END_USER_PUBLIC_KEY }) =>
      FixedKeySource.publicKeys(END_USER_PUBLIC_KEY, algorithms),
    );
  }
  if (config.END_USER_SECRET.length > 0) {
    return openRotating('END_USER_SECRET', secrets, ({ END_USER_SECRET }) =>
      FixedKeySource.secrets(END_USER_SECRET, algorithms),
    );
  }
  const { END_USER_JWKS_URL: url } = config;
  if (!url) {
    throw new ConfigError(['one of END_USER_JWKS_URL, END_USER_PUBLIC_KEY, END_USER_SECRET is required']);
  }
  const client = clients.open('end-user-keys', url, CONNECTIONS_MAX);
  const source = new JwksKeySource(url, client, algorithms, log);
  await source.refreshWhenDue();
  return source;
}

function openRotating(
  name: 'END_USER_PUBLIC_KEY' | 'END_USER_SECRET',
  secrets: Secrets,
  open: (values: SecretValues) => FixedKeySource,
): KeySource {
  const source = new RotatingKeySource(open(secrets.current));
  secrets.onChange(name, (values) => source.rotate(open(values)));
  return source;
}
