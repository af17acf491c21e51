import { readSettings, type Config, type Environment } from '../config/load-config.js';
import type { SettingName } from '../config/settings.js';
import type { IncomingAnswer } from '../http/outgoing/exchange.js';
import { RequestContext } from '../http/request-context.js';
import { isObject } from '../json/parse-json.js';
import { fetchSchema } from '../operations/check-documents.js';
import { Conditions } from '../telemetry/conditions/conditions.js';
import { openLog } from '../telemetry/log.js';
import { Metrics } from '../telemetry/metrics.js';
import { KeptPartnerTokens } from '../upstream/kept-partner-tokens.js';
import type { PartnerTokenAnswer } from '../upstream/token-grant.js';
import { codeOf, readJsonObject } from '../upstream/upstream-answer.js';
import { Upstream } from '../upstream/upstream.js';
import { CommandFault } from './command.js';

const TIMEOUT_MS = 30_000;
const ANSWER_BYTES_MAX = 8_388_608;
const REDACTED = '[redacted]';

const ACCESS_SETTINGS = [
  'UPSTREAM_URL',
  'UPSTREAM_TIMEOUT_MS',
  'ISSUER_TOKEN_URL',
  'ISSUER_TIMEOUT_MS',
  'PARTNER_CLIENT_ID',
  'PARTNER_CLIENT_SECRET',
  'PARTNER_AUDIENCE',
  'PARTNER_TOKEN_REQUEST',
  'USER_AGENT',
  'OUTBOUND_PROXY',
  'OUTBOUND_PROXY_EXCEPT',
  'WEBHOOK_SECRETS',
] as const satisfies readonly SettingName[];
/** The upstream's address, the credentials that its issuer takes, and the secrets that it is told. */
type AccessConfig = Pick<Config, (typeof ACCESS_SETTINGS)[number]>;

/** Asks the upstream as the partner, for commands: with one partner token, and the service's own clients. */
export class PartnerAccess {
  readonly upstream: Upstream;
  private granted: Promise<PartnerTokenAnswer> | undefined;

  /** @param endpoint GraphQL endpoint, where it is another than the upstream's */
  constructor(
    private readonly config: AccessConfig,
    endpoint?: URL,
  ) {
    const log = openLog({ LOG_LEVEL: 'silent' }, { write: () => undefined });
    const kept = new KeptPartnerTokens();
    this.upstream = new Upstream(config, new Metrics(), new Conditions(), log, kept, endpoint);
  }

  /** @throws CommandFault when a setting is missing */
  static open(environment: Environment): PartnerAccess {
    const config = readSettings(ACCESS_SETTINGS, environment);
    if (config.UPSTREAM_URL && config.ISSUER_TOKEN_URL && config.PARTNER_CLIENT_ID) {
      return new PartnerAccess(config);
    }
    throw new CommandFault(
      'Set UPSTREAM_URL, ISSUER_TOKEN_URL, PARTNER_CLIENT_ID and PARTNER_CLIENT_SECRET as for the service.',
    );
  }

  /**
   * The schema of the upstream, or of another GraphQL endpoint, which gets no partner token.
   * @throws CommandFault
   */
  static async fetchSchema(address: string | undefined, environment: Environment): Promise<string> {
    const url = address === undefined ? undefined : URL.parse(address);
    if (url === null) throw new CommandFault('The address of --schema is malformed.');
    const access = url
      ? new PartnerAccess(readSettings(ACCESS_SETTINGS, environment), url)
      : PartnerAccess.open(environment);
    try {
      const token = url ? undefined : await access.token();
      return await fetchSchema(access.upstream, token, RequestContext.background());
    } catch (error) {
      if (error instanceof CommandFault) throw error;
      const { origin, pathname } = access.upstream.graphqlUrl; // without user, password and query, which may be secret
      throw new CommandFault(`${origin}${pathname} returned no schema: ${(error as Error).message}.`);
    } finally {
      await access.close();
    }
  }

  /** The issuer's answer, asked for once. */
  grant(): Promise<PartnerTokenAnswer> {
    const secret = this.config.PARTNER_CLIENT_SECRET ?? '';
    return (this.granted ??= this.upstream.requestPartnerToken(secret, RequestContext.background()));
  }

  /** @param token none for what needs none. @throws ExchangeFault when no whole answer came in time */
  send(body: string, token: string | undefined): Promise<IncomingAnswer> {
    const options = { token, timeoutMs: TIMEOUT_MS, bodyBytesMax: ANSWER_BYTES_MAX };
    return this.upstream.sendGraphql(body, options, RequestContext.background());
  }

  /**
   * The data of an operation, without secrets, which a server may quote.
   * @throws CommandFault with what the upstream said, when it has errors; without secrets too
   */
  async run<Data>(query: string, variables: object): Promise<Data> {
    const token = await this.token();
    const answer = await this.send(JSON.stringify({ query, variables }), token).catch((error: Error) => {
      throw new CommandFault(`The upstream did not answer: ${error.message}.`);
    });
    const { PARTNER_CLIENT_SECRET, WEBHOOK_SECRETS } = this.config;
    const secrets = [token, PARTNER_CLIENT_SECRET ?? '', ...WEBHOOK_SECRETS];
    const { data, errors } = withoutSecrets(readJsonObject(answer) ?? {}, secrets);
    if (Array.isArray(errors) && errors.length > 0) throw new CommandFault(errors.map(sentenceOf).join(' '));
    if (isObject(data)) return data as Data;
    throw new CommandFault(`The upstream answered ${answer.status} with an unreadable body.`);
  }

  async close(): Promise<void> {
    await this.upstream.onApplicationShutdown();
  }

  private async token(): Promise<string> {
    const answer = await this.grant();
    if (answer.kind === 'granted') return answer.accessToken;
    throw new CommandFault(`The issuer issued no partner token: ${answer.reason}.`);
  }
}

function sentenceOf(error: unknown): string {
  const message = isObject(error) ? error['message'] : undefined;
  return `The upstream refused (${codeOf(error) ?? 'no code'}): ${typeof message === 'string' ? message : 'no reason given'}`;
}

/** An answer whose texts hold no secret, as it is or as JSON writes it. */
function withoutSecrets(answer: object, secrets: readonly string[]): Record<string, unknown> {
  const forms = secrets.flatMap((secret) => [JSON.stringify(secret).slice(1, -1), secret]).filter(Boolean);
  const hide = (text: string): string => forms.reduce((rest, form) => rest.replaceAll(form, REDACTED), text);
  const reviver = (_name: string, value: unknown): unknown =>
    typeof value === 'string' ? hide(value) : value;
  return JSON.parse(JSON.stringify(answer), reviver) as Record<string, unknown>;
}
