import { readFileSync } from 'node:fs';
import type { Environment } from '../config/load-config.js';
import { isLoopbackHost } from '../config/values/url-forms.js';
import { RequestContext } from '../http/request-context.js';
import { SCHEMA_BYTES_MAX, SCHEMA_TIMEOUT_MS, introspect } from '../upstream/introspection.js';
import { CommandFault } from './command.js';
import {
  ACCESS_SETTINGS,
  openClients,
  readSettings,
  requestPartnerToken,
  type AccessConfig,
} from './partner-access.js';

/**
 * The text of a schema: of a file, or what the GraphQL endpoint at an address answers to introspection.
 * @param place file or address; without it, the endpoint of `UPSTREAM_URL`
 * @throws CommandFault
 */
export async function fetchSchema(place: string | undefined, environment: Environment): Promise<string> {
  if (place !== undefined && !/^https?:\/\//i.test(place)) return readFile(place);
  const config = readSettings(ACCESS_SETTINGS, environment);
  const url = place === undefined ? endpointOf(config) : parseUrl(place);
  try {
    return await introspectAt(url, config);
  } catch (error) {
    if (error instanceof CommandFault) throw error;
    // without user, password and query, which may be secret
    throw new CommandFault(`${url.origin}${url.pathname} gives no schema: ${(error as Error).message}.`);
  }
}

function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new CommandFault(`${file} cannot be read.`);
  }
}

function endpointOf({ UPSTREAM_URL }: AccessConfig): URL {
  if (!UPSTREAM_URL) throw new CommandFault('Name a schema with --schema, or set UPSTREAM_URL.');
  return new URL(`${UPSTREAM_URL.href.replace(/\/$/, '')}/graphql`);
}

function parseUrl(place: string): URL {
  if (!URL.canParse(place)) throw new CommandFault('The address of --schema is malformed.');
  return new URL(place);
}

async function introspectAt(url: URL, config: AccessConfig): Promise<string> {
  const token = mayHaveToken(url, config) ? await requestPartnerToken(config) : undefined;
  const clients = openClients({ ...config, UPSTREAM_URL: url });
  const context = RequestContext.background();
  try {
    return await introspect((body) =>
      clients.graphql.send(
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
    await clients.close();
  }
}

/** The partner token goes to the configured upstream alone, and never over plain HTTP but to this machine. */
function mayHaveToken(
  url: URL,
  { UPSTREAM_URL, ISSUER_TOKEN_URL, PARTNER_CLIENT_ID }: AccessConfig,
): boolean {
  const isSafe = url.protocol === 'https:' || isLoopbackHost(url.hostname);
  return isSafe && url.origin === UPSTREAM_URL?.origin && Boolean(ISSUER_TOKEN_URL && PARTNER_CLIENT_ID);
}
