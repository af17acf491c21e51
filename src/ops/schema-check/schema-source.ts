import { readFileSync } from 'node:fs';
import type { Config, Environment } from '../../config/load-config.js';
import { readSetting } from '../../config/load-config.js';
import { isLoopbackHost } from '../../config/setting.js';
import type { SettingName } from '../../config/settings.js';
import { RequestContext } from '../../http/request-context.js';
import { openLog } from '../../telemetry/log.js';
import { Metrics } from '../../telemetry/metrics.js';
import { SCHEMA_BYTES_MAX, SCHEMA_TIMEOUT_MS, introspect } from '../../upstream/introspection.js';
import { Issuer } from '../../upstream/issuer.js';
import { UpstreamClient } from '../../upstream/upstream-client.js';
import { UpstreamMetrics } from '../../upstream/upstream-metrics.js';

/** Why there is no schema, in a sentence for the operator. */
export class SchemaSourceFault extends Error {
  override readonly name = 'SchemaSourceFault';
}

/** The part of the environment that is read: the upstream, and the credentials that its issuer takes. */
const NAMES = [
  'UPSTREAM_URL',
  'ISSUER_TOKEN_URL',
  'ISSUER_TIMEOUT_MS',
  'PARTNER_CLIENT_ID',
  'PARTNER_CLIENT_SECRET',
  'PARTNER_AUDIENCE',
  'PARTNER_TOKEN_REQUEST',
  'USER_AGENT',
] as const satisfies readonly SettingName[];
type SourceConfig = Pick<Config, (typeof NAMES)[number]>;

/**
 * The text of a schema: of a file, or what the GraphQL endpoint at an address answers to introspection.
 * @param place file or address; without it, the endpoint of `UPSTREAM_URL`
 * @throws SchemaSourceFault
 */
export async function fetchSchema(place: string | undefined, environment: Environment): Promise<string> {
  if (place !== undefined && !/^https?:\/\//i.test(place)) return readFile(place);
  const config = readSettings(environment);
  const url = place === undefined ? endpointOf(config) : parseUrl(place);
  try {
    return await introspectAt(url, config);
  } catch (error) {
    if (error instanceof SchemaSourceFault) throw error;
    // without user, password and query, which may be secret
    throw new SchemaSourceFault(`${url.origin}${url.pathname} gives no schema: ${(error as Error).message}.`);
  }
}

function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new SchemaSourceFault(`${file} cannot be read.`);
  }
}

function readSettings(environment: Environment): SourceConfig {
  const faults: string[] = [];
  const values = NAMES.map((name) => [name, readSetting(name, environment, faults)] as const);
  if (faults.length > 0) throw new SchemaSourceFault(`${faults.join('; ')}.`);
  return Object.fromEntries(values) as unknown as SourceConfig;
}

function endpointOf({ UPSTREAM_URL }: SourceConfig): URL {
  if (!UPSTREAM_URL) throw new SchemaSourceFault('Name a schema with --schema, or set UPSTREAM_URL.');
  return new URL(`${UPSTREAM_URL.href.replace(/\/$/, '')}/graphql`);
}

function parseUrl(place: string): URL {
  if (!URL.canParse(place)) throw new SchemaSourceFault('The address of --schema is malformed.');
  return new URL(place);
}

async function introspectAt(url: URL, config: SourceConfig): Promise<string> {
  const token = mayHaveToken(url, config) ? await requestToken(config) : undefined;
  const client = openClient(url, 'graphql', config);
  const context = RequestContext.background();
  try {
    return await introspect((body) =>
      client.send(
        'graphql',
        {
          method: 'POST',
          path: url.pathname + url.search,
          headers: {
            'content-type': 'application/json',
            accept: 'application/json',
            ...(token !== undefined && { authorization: `Bearer ${token}` }),
          },
          body,
          timeoutMs: SCHEMA_TIMEOUT_MS,
          bodyBytesMax: SCHEMA_BYTES_MAX,
        },
        context,
      ),
    );
  } finally {
    await client.close();
  }
}

/** The partner token goes to the configured upstream alone, and never over plain HTTP but to this machine. */
function mayHaveToken(
  url: URL,
  { UPSTREAM_URL, ISSUER_TOKEN_URL, PARTNER_CLIENT_ID }: SourceConfig,
): boolean {
  const isSafe = url.protocol === 'https:' || isLoopbackHost(url.hostname);
  return isSafe && url.origin === UPSTREAM_URL?.origin && Boolean(ISSUER_TOKEN_URL && PARTNER_CLIENT_ID);
}

async function requestToken(config: SourceConfig): Promise<string> {
  const client = openClient(config.ISSUER_TOKEN_URL!, 'issuer', config);
  try {
    const answer = await new Issuer(client, config).requestToken(
      {
        clientId: config.PARTNER_CLIENT_ID!,
        clientSecret: config.PARTNER_CLIENT_SECRET ?? '',
        audience: config.PARTNER_AUDIENCE,
        encoding: config.PARTNER_TOKEN_REQUEST,
      },
      RequestContext.background(),
    );
    if (answer.kind === 'granted') return answer.accessToken;
    throw new SchemaSourceFault(`The issuer gives no partner token: ${answer.reason}.`);
  } finally {
    await client.close();
  }
}

function openClient(url: URL, target: 'graphql' | 'issuer', { USER_AGENT }: SourceConfig): UpstreamClient {
  const metrics = new UpstreamMetrics(new Metrics());
  const log = openLog({ LOG_LEVEL: 'silent', LOG_FORMAT: 'json' });
  return new UpstreamClient(new URL(url.origin), { [target]: 1 }, USER_AGENT, metrics, log);
}
