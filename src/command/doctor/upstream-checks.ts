import type { Config } from '../../config/load-config.js';
import { UserIds } from '../../auth/user-ids.js';
import { BffError } from '../../errors/bff-error.js';
import { ExchangeFault } from '../../http/outgoing/exchange.js';
import { RequestContext } from '../../http/request-context.js';
import { isObject } from '../../json/is-object.js';
import { memberAt } from '../../json/member-at.js';
import { BrowserTokenEndpoint } from '../../upstream/browser-token-endpoint.js';
import { readJsonObject } from '../../upstream/json-answer.js';
import { PartnerAccess } from '../partner-access.js';
import type { Clocks } from './clocks.js';
import { fail, ok, warn, type Check, type Result } from './finding.js';
import { observe } from './observed-clients.js';

const ANSWER_BYTES_MAX = 65_536;
/** A hirer that the partner has a relationship with (facts of the public schema, as `operations/connected-hirers.graphql`). */
const HIRER = `query DoctorHirer($schemeId: String!, $first: Int) {
  hiringOrganizations(schemeId: $schemeId, first: $first) { edges { node { id { value } } } }
}`;

const CREDENTIALS = 'check PARTNER_CLIENT_ID, _SECRET, _AUDIENCE, and PARTNER_TOKEN_REQUEST';

/** The token stands apart from what is printed. */
interface Grant {
  readonly result: Result;
  readonly token?: string;
}

/** The issuer and the upstream, asked as the service asks them. One partner token serves every check. */
export class UpstreamAccess {
  readonly partner: PartnerAccess;

  constructor(
    private readonly config: Config,
    clocks: Clocks,
  ) {
    this.partner = new PartnerAccess(config);
    const { issuer, token, graphql } = this.partner.clients;
    observe(issuer, 'issuer', clocks);
    for (const client of [token, graphql]) observe(client, 'upstream', clocks);
  }

  checks(): Check[] {
    return [
      {
        name: 'issuer',
        todo: 'check ISSUER_TOKEN_URL, and that this machine may reach it',
        run: async () => (await this.grant()).result,
      },
      {
        name: 'token endpoint',
        todo: 'check UPSTREAM_URL, and that this machine may reach it',
        run: () => this.withToken((token) => this.tryTokenEndpoint(token)),
      },
      {
        name: 'graphql',
        todo: 'check UPSTREAM_URL, and that this machine may reach it',
        run: () => this.tryVersion(),
      },
    ];
  }

  /** Runs a check with a partner token; without one, it is not run. */
  async withToken(work: (token: string) => Promise<Result>): Promise<Result> {
    const { token } = await this.grant();
    return token === undefined
      ? warn('not tried: the issuer gives no partner token', 'see the issuer first')
      : work(token);
  }

  async close(): Promise<void> {
    await this.partner.close();
  }

  private async grant(): Promise<Grant> {
    const answer = await this.partner.grant();
    if (answer.kind === 'granted') {
      const result = ok(`gives a partner token of ${answer.lifeSeconds} s`);
      return { result, token: answer.accessToken };
    }
    if (answer.credentials) return { result: fail('it refuses the client credentials', CREDENTIALS) };
    const isReached = !['connection', 'timeout'].includes(answer.reason);
    const todo = isReached
      ? 'check ISSUER_TOKEN_URL and PARTNER_AUDIENCE: it answers, and gives no token'
      : 'check ISSUER_TOKEN_URL, and that this machine may reach it';
    return { result: fail(`no token: ${answer.reason}`, todo) };
  }

  private async tryVersion(): Promise<Result> {
    const answer = await this.partner.send(JSON.stringify({ query: 'query Version { version }' }), undefined);
    const version = memberAt(readJsonObject(answer) ?? {}, '/data/version');
    if (typeof version === 'string') return ok(`answers; version ${version.slice(0, 40)}`);
    return fail(
      `no version in its answer (status ${answer.status})`,
      'check UPSTREAM_URL: the service adds /graphql to it',
    );
  }

  /** By a token for a connected hirer, where the scheme is known; else by a request without content. */
  private async tryTokenEndpoint(token: string): Promise<Result> {
    const hirerId = await this.connectedHirer(token);
    if (hirerId === undefined) return this.tryEmptyRequest(token);
    const endpoint = new BrowserTokenEndpoint(this.partner.clients, this.config);
    const userId = new UserIds(this.config).of('partner-bff', 'doctor');
    const request = { hirerId, scopes: this.config.ALLOWED_SCOPES.slice(0, 1), userId };
    const answer = await endpoint.requestToken(request, token, RequestContext.background());
    return answer.kind === 'granted'
      ? ok(`gives a browser token of ${answer.lifeSeconds} s`)
      : fail(
          'does not accept the partner token',
          'check PARTNER_AUDIENCE, and that issuer and upstream belong together',
        );
  }

  private async connectedHirer(token: string): Promise<string | undefined> {
    const { EVENTS_SCHEME_ID: schemeId } = this.config;
    if (schemeId === undefined) return undefined;
    const answer = await this.partner.send(
      JSON.stringify({ query: HIRER, variables: { schemeId, first: 1 } }),
      token,
    );
    const edges = memberAt(readJsonObject(answer) ?? {}, '/data/hiringOrganizations/edges');
    const [edge] = Array.isArray(edges) ? (edges as unknown[]) : [];
    const id = isObject(edge) ? memberAt(edge, '/node/id/value') : undefined;
    return typeof id === 'string' ? id : undefined;
  }

  private async tryEmptyRequest(token: string): Promise<Result> {
    const path = `${this.config.UPSTREAM_URL!.pathname.replace(/\/$/, '')}/auth/token`;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const bounds = { timeoutMs: this.config.UPSTREAM_TIMEOUT_MS, bodyBytesMax: ANSWER_BYTES_MAX };
    const request = { method: 'POST' as const, path, headers, body: '{}', ...bounds };
    const { status } = await this.partner.clients.token.send(request, RequestContext.background());
    if (status === 401) {
      return fail(
        'does not accept the partner token',
        'check PARTNER_AUDIENCE, and that issuer and upstream belong together',
      );
    }
    if (status === 404 || status === 405 || status >= 500) {
      return fail(`answers ${status}`, 'check UPSTREAM_URL: the service adds /auth/token to it');
    }
    return ok(`is there (${status} to an empty request); no connected hirer is known to ask a token for`);
  }
}

/** Why a call failed, without what was sent or answered. */
export function reasonOf(error: unknown): string {
  if (error instanceof ExchangeFault) {
    const { code } = (isObject(error.cause) ? error.cause : {}) as { code?: unknown };
    return `no answer: ${error.kind}${typeof code === 'string' ? ` (${code})` : ''}`;
  }
  if (error instanceof BffError && error.cause !== undefined) return reasonOf(error.cause);
  return error instanceof Error ? error.message : 'it failed';
}
