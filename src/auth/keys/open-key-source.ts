import type { Config } from '../../config/load-config.js';
import type { Secrets, SecretValues } from '../../config/secrets.js';
import type { DependencyClients } from '../../http/outgoing/dependency-client.js';
import type { Routes } from '../../http/routes.js';
import type { Conditions } from '../../telemetry/conditions/conditions.js';
import type { Log } from '../../telemetry/log.js';
import { FixedKeySource } from './fixed-key-source.js';
import { IssuerKeySource } from './issuer-key-source.js';
import { JwksKeySource } from './jwks-key-source.js';
import { DiscoveredKeySet, KeySetUrl, type KeySetEndpoint, type KeySetPlaces } from './key-set-endpoint.js';
import type { KeySource } from './key-source.js';
import { RotatingKeySource } from './rotating-key-source.js';

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
    return openRotating('END_USER_PUBLIC_KEY', secrets, ({ END_USER_PUBLIC_KEY }) =>
      FixedKeySource.publicKeys(END_USER_PUBLIC_KEY, algorithms),
    );
  }
  if (config.END_USER_SECRET.length > 0) {
    return openRotating('END_USER_SECRET', secrets, ({ END_USER_SECRET }) =>
      FixedKeySource.secrets(END_USER_SECRET, algorithms),
    );
  }
  const open = async (from: URL | string, endpoint: KeySetEndpoint): Promise<JwksKeySource> => {
    const calls = conditions.calls('identity-provider-failing', new URL(from).host);
    const source = new JwksKeySource(endpoint, algorithms, log, undefined, calls);
    await source.refreshWhenDue();
    return source;
  };
  if (config.END_USER_JWKS_URL) {
    return open(config.END_USER_JWKS_URL, new KeySetUrl(config.END_USER_JWKS_URL, clients));
  }
  const places = keySetPlaces(config, () => routes.ports);
  const sources = config.END_USER_ISSUER.map(
    async (issuer) => [issuer, await open(issuer, new DiscoveredKeySet(issuer, clients, places))] as const,
  );
  return new IssuerKeySource(new Map(await Promise.all(sources)));
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

function openRotating(
  name: 'END_USER_PUBLIC_KEY' | 'END_USER_SECRET',
  secrets: Secrets,
  open: (values: SecretValues) => FixedKeySource,
): KeySource {
  const source = new RotatingKeySource(open(secrets.current));
  secrets.onChange(name, (values) => source.rotate(open(values)));
  return source;
}
