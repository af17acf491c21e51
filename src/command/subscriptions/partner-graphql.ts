import type { Environment } from '../../config/load-config.js';
import { RequestContext } from '../../http/request-context.js';
import { isObject } from '../../json/is-object.js';
import { graphqlHeaders } from '../../upstream/graphql-endpoint.js';
import { readJsonObject } from '../../upstream/json-answer.js';
import { codeOf } from '../../upstream/upstream-error.js';
import type { UpstreamClients } from '../../upstream/upstream-clients.js';
import { CommandFault } from '../command.js';
import {
  ACCESS_SETTINGS,
  openClients,
  readSettings,
  requestPartnerToken,
  type AccessConfig,
} from '../partner-access.js';

const TIMEOUT_MS = 30_000;
const ANSWER_BYTES_MAX = 8_388_608;
const REDACTED = '[redacted]';

/** Runs operations at the upstream with a partner token of its own, for commands. */
export class PartnerGraphql {
  private readonly clients: UpstreamClients;
  private token: Promise<string> | undefined;

  private constructor(
    private readonly url: URL,
    private readonly config: AccessConfig,
  ) {
    this.clients = openClients({ ...config, UPSTREAM_URL: url });
  }

  /** @throws CommandFault when a setting is missing */
  static open(environment: Environment): PartnerGraphql {
    const config = readSettings(ACCESS_SETTINGS, environment);
    const { UPSTREAM_URL, ISSUER_TOKEN_URL, PARTNER_CLIENT_ID } = config;
    if (!UPSTREAM_URL || !ISSUER_TOKEN_URL || !PARTNER_CLIENT_ID) {
      throw new CommandFault(
        'Set UPSTREAM_URL, ISSUER_TOKEN_URL, PARTNER_CLIENT_ID and PARTNER_CLIENT_SECRET as for the service.',
      );
    }
    return new PartnerGraphql(UPSTREAM_URL, config);
  }

  /**
   * The data of an operation, without secrets, which a server may quote.
   * @throws CommandFault with what the upstream said, when it has errors; without secrets too
   */
  async run(query: string, variables: object): Promise<Record<string, unknown>> {
    const token = await (this.token ??= requestPartnerToken(this.config));
    const body = JSON.stringify({ query, variables });
    const answer = await this.send(body, token);
    const { data, errors } = readJsonObject(answer) ?? {};
    const secrets = [token, this.config.PARTNER_CLIENT_SECRET ?? '', ...secretsIn(variables)];
    if (Array.isArray(errors) && errors.length > 0) {
      throw new CommandFault(withoutSecrets(errors.map(sentenceOf).join(' '), secrets));
    }
    if (isObject(data)) {
      return JSON.parse(withoutSecrets(JSON.stringify(data), secrets)) as Record<string, unknown>;
    }
    throw new CommandFault(`The upstream answered ${answer.status}, and nothing that can be read.`);
  }

  async close(): Promise<void> {
    await this.clients.close();
  }

  private async send(body: string, token: string) {
    const path = `${this.url.pathname.replace(/\/$/, '')}/graphql`;
    const request = { method: 'POST' as const, path, headers: graphqlHeaders(token), body };
    const bounds = { timeoutMs: TIMEOUT_MS, bodyBytesMax: ANSWER_BYTES_MAX };
    try {
      return await this.clients.graphql.send({ ...request, ...bounds }, RequestContext.background());
    } catch (error) {
      throw new CommandFault(`The upstream gave no answer: ${(error as Error).message}.`);
    }
  }
}

function sentenceOf(error: unknown): string {
  const message = isObject(error) ? error['message'] : undefined;
  return `The upstream refused (${codeOf(error) ?? 'no code'}): ${typeof message === 'string' ? message : 'no reason given'}`;
}

/** The values of members called `secret`, at any depth. */
function secretsIn(variables: object): string[] {
  return Object.entries(variables).flatMap(([name, value]: [string, unknown]) => {
    if (isObject(value)) return secretsIn(value);
    return name === 'secret' && typeof value === 'string' ? [value] : [];
  });
}

/** A text without secrets, as they are or as JSON writes them. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  const forms = secrets.flatMap((secret) => [JSON.stringify(secret).slice(1, -1), secret]);
  return forms.filter((form) => form !== '').reduce((rest, form) => rest.replaceAll(form, REDACTED), text);
}
