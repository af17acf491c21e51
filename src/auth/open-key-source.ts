import { ConfigError, type Config } from '../config/load-config.js';
import type { Secrets } from '../config/secrets.js';
import type { Log } from '../telemetry/log.js';
import type { Algorithm } from './algorithms.js';
import { FixedKeySource } from './fixed-key-source.js';
import { JwksKeySource } from './jwks-key-source.js';
import type { KeySource } from './key-source.js';
import { RotatingKeySource } from './rotating-key-source.js';

type KeySettings = Pick<
  Config,
  'END_USER_JWKS_URL' | 'END_USER_PUBLIC_KEY' | 'END_USER_SECRET' | 'END_USER_ALGORITHMS'
>;

/**
 * The key source that the settings select. A JWK set is fetched before this resolves; if that fails, the service starts
 * anyway, is not ready, and keeps trying.
 * @throws ConfigError for a key that cannot verify tokens, or when none is set
 */
export async function openKeySource(config: KeySettings, secrets: Secrets, log: Log): Promise<KeySource> {
  const algorithms = config.END_USER_ALGORITHMS as readonly Algorithm[];
  if (config.END_USER_PUBLIC_KEY) {
    return openRotating('END_USER_PUBLIC_KEY', secrets, (text) => FixedKeySource.publicKey(text, algorithms));
  }
  if (config.END_USER_SECRET) {
    return openRotating('END_USER_SECRET', secrets, (text) => FixedKeySource.secret(text, algorithms));
  }
  if (!config.END_USER_JWKS_URL) {
    throw new ConfigError(['one of END_USER_JWKS_URL, END_USER_PUBLIC_KEY, END_USER_SECRET is required']);
  }
  const source = new JwksKeySource(config.END_USER_JWKS_URL, algorithms, log);
  await source.refreshWhenDue();
  return source;
}

function openRotating(
  name: 'END_USER_PUBLIC_KEY' | 'END_USER_SECRET',
  secrets: Secrets,
  read: (text: string) => FixedKeySource,
): KeySource {
  const source = new RotatingKeySource(read(secrets.current[name]!));
  secrets.onChange(name, (values) => source.rotate(read(values[name]!)));
  return source;
}
