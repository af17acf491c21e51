import type { Config } from '../../src/config/load-config.js';
import { Secrets } from '../../src/config/secrets.js';

/** The secrets of a service under test, with the values given. */
export function someSecrets(values: Partial<Config> = {}): Secrets {
  return new Secrets({
    SEALING_KEY: ['eG7Wq1Xo5Bi9Vt3Ru8Pn2Ck6Dj4Mz0Hs'],
    secretFiles: {},
    ...values,
  } as Config);
}
