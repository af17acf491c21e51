import type { Config, Environment } from '../config/load-config.js';
import { readSetting } from '../config/load-config.js';
import type { SettingName } from '../config/settings.js';
import type { ProxySettings } from '../http/outgoing/outbound-proxy.js';
import { RequestContext } from '../http/request-context.js';
import { openLog } from '../telemetry/log.js';
import { Conditions } from '../telemetry/conditions/conditions.js';
import { Metrics } from '../telemetry/metrics.js';
import { Issuer } from '../upstream/issuer.js';
import { UpstreamClients } from '../upstream/upstream-clients.js';
import { CommandFault } from './command.js';

// How programs that start no service reach the upstream.

/** The settings that the upstream is reached with: its address, and the credentials that its issuer takes. */
export const ACCESS_SETTINGS = [
  'UPSTREAM_URL',
  'ISSUER_TOKEN_URL',
  'ISSUER_TIMEOUT_MS',
  'PARTNER_CLIENT_ID',
  'PARTNER_CLIENT_SECRET',
  'PARTNER_AUDIENCE',
  'PARTNER_TOKEN_REQUEST',
  'USER_AGENT',
  'OUTBOUND_PROXY',
  'OUTBOUND_PROXY_EXCEPT',
] as const satisfies readonly SettingName[];
/** Their values. */
export type AccessConfig = Pick<Config, (typeof ACCESS_SETTINGS)[number]>;

/**
 * Some settings of the environment, by themselves.
 * @throws CommandFault that names every setting at fault
 */
export function readSettings<Name extends SettingName>(
  names: readonly Name[],
  environment: Environment,
): Pick<Config, Name> {
  const faults: string[] = [];
  const values = names.map((name) => [name, readSetting(name, environment, faults)] as const);
  if (faults.length > 0) throw new CommandFault(`${faults.join('; ')}.`);
  return Object.fromEntries(values) as unknown as Pick<Config, Name>;
}

/**
 * A partner token, straight from the issuer.
 * @throws CommandFault if it gives none
 */
export async function requestPartnerToken(config: AccessConfig): Promise<string> {
  const clients = openClients(config);
  try {
    const answer = await new Issuer(clients, config).requestToken(
      {
        clientId: config.PARTNER_CLIENT_ID!,
        clientSecret: config.PARTNER_CLIENT_SECRET ?? '',
        audience: config.PARTNER_AUDIENCE,
        encoding: config.PARTNER_TOKEN_REQUEST,
      },
      RequestContext.background(),
    );
    if (answer.kind === 'granted') return answer.accessToken;
    throw new CommandFault(`The issuer gives no partner token: ${answer.reason}.`);
  } finally {
    await clients.close();
  }
}

/** The clients of issuer and upstream, without log or metrics. */
export function openClients(
  config: Partial<Pick<Config, 'UPSTREAM_URL' | 'ISSUER_TOKEN_URL'>> &
    Pick<Config, 'USER_AGENT'> &
    ProxySettings,
): UpstreamClients {
  const log = openLog({ LOG_LEVEL: 'silent' }, { write: () => undefined });
  return new UpstreamClients(config, new Metrics(), new Conditions(), log);
}
