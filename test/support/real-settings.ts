import { ConfigError, loadConfig, type Environment } from '../../src/config/load-config.js';

/** A key with enough entropy for any setting. */
export const KEY = 'q7Jx2mVb9Lz4Rk8Tn1Wc6Yd3Hf5Gs0Pa';

/** The fewest settings of a real deployment. */
export const REAL: Environment = {
  UPSTREAM_URL: 'https://upstream.test',
  ISSUER_TOKEN_URL: 'https://issuer.test/oauth/token',
  PARTNER_CLIENT_ID: 'client',
  PARTNER_CLIENT_SECRET: 'a-client-secret',
  END_USER_SECRET: KEY,
  END_USER_ISSUER: 'https://idp.test',
  END_USER_AUDIENCE: 'bff',
  USER_ID_KEY: KEY,
  SEALING_KEY: KEY,
};

/** What is wrong with settings. */
export function faultsOf(environment: Environment): readonly string[] {
  try {
    loadConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}
