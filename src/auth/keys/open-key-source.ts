import type { Config } from '../../config/load-config.js';
import type { Secrets } from '../../config/secrets.js';
import type { DependencyClients } from '../../http/outgoing/dependency-client.js';
import type { Routes } from '../../http/routes.js';
import type { Conditions } from '../../telemetry/conditions/conditions.js';
import type { Log } from '../../telemetry/log.js';
import { DiscoveredKeySet, KeySetUrl, type KeySetEndpoint, type KeySetPlaces } from './discovery.js';
import { IssuerKeys } from './issuer-keys.js';
import { JwksKeys } from './jwks-keys.js';
import type { KeySource } from './key-source.js';
import { secretKeys, StaticKeys } from './static-keys.js';

type KeySettings = Pick<
  Config,
  | 'END_USER_ISSUER'
  | 'END_USER_JWKS_URL'
  | 'END_USER_PUBLIC_KEY'
  | 'END_USER_SECRET'
  | 'END_USER_ALGORITHMS'
  | 'HTTP_HOSTS'
  | 'PORT'
  | 'OPS_PORT'
>;

/**
 * The key source that the settings select; without any of theirs, discovery at each issuer. A JWK set is fetched before
 * this resolves; if that fails, the service starts anyway, and keeps trying.
 */
export async function openKeySource(
  config: KeySettings,
  secrets: Secrets,
  clients: DependencyClients,
  log: Log,
  routes: Routes,
  conditions: Conditions,
): Promise<KeySource> {
  const algorithms = config.END_USER_ALGORITHMS;
  if (config.END_USER_PUBLIC_KEY.length > 0) {
    const keys = new StaticKeys(secrets.current.END_USER_PUBLIC_KEY, algorithms);
    secrets.onChange('END_USER_PUBLIC_KEY', (values) => keys.replace(values.END_USER_PUBLIC_KEY));
    return keys;
  }
  if (config.END_USER_SECRET.length > 0) {
    const keys = new StaticKeys(secretKeys(secrets.current.END_USER_SECRET, algorithms), algorithms);
    const replace = (values: readonly string[]): void => keys.replace(secretKeys(values, algorithms));
    secrets.onChange('END_USER_SECRET', ({ END_USER_SECRET }) => replace(END_USER_SECRET));
    return keys;
  }
  const open = async (from: URL | string, endpoint: KeySetEndpoint): Promise<JwksKeys> => {
    const calls = conditions.calls('identity-provider-failing', new URL(from).host);
    const keys = new JwksKeys(endpoint, algorithms, log, undefined, calls);
    await keys.refreshWhenDue();
    return keys;
  };
  const { END_USER_JWKS_URL: url } = config;
  if (url) return open(url, new KeySetUrl(url, clients));
  const places = keySetPlaces(config, () => routes.ports);
  const opened = config.END_USER_ISSUER.map(
    async (issuer) => [issuer, await open(issuer, new DiscoveredKeySet(issuer, clients, places))] as const,
  );
  return new IssuerKeys(new Map(await Promise.all(opened)));
}

/**
 * Where discovery documents may send the service.
 * @param boundPorts those of its listeners, which the settings do not name where they are 0
 */
export function keySetPlaces(
  { HTTP_HOSTS, PORT, OPS_PORT }: Pick<Config, 'HTTP_HOSTS' | 'PORT' | 'OPS_PORT'>,
  boundPorts: () => readonly number[] = () => [],
): KeySetPlaces {
  return { httpHosts: HTTP_HOSTS, ownPorts: () => [PORT, OPS_PORT, ...boundPorts()] };
}
