import { Inject, Injectable } from '@nestjs/common';
import { getIntrospectionQuery } from 'graphql';
import { Default } from '../config/default.js';
import { CONFIG, type Config } from '../config/load-config.js';
import { BffError } from '../errors/bff-error.js';
import { isUncoded } from '../http/header-values.js';
import type { RequestContext } from '../http/request-context.js';
import { ExchangeFault, type IncomingAnswer, type OutgoingRequest } from '../http/outgoing/exchange.js';
import type { StreamingAnswer } from '../http/outgoing/http-client.js';
import { isObject } from '../json/parse-json.js';
import type { CallReports } from '../telemetry/conditions/call-condition.js';
import { Conditions } from '../telemetry/conditions/conditions.js';
import { PartnerTokenGuard } from './partner-token-guard.js';
import {
  readBrowserToken,
  readPartnerToken,
  type PartnerTokenAnswer,
  type TokenGrant,
  fromRefusal,
  readJsonObject,
  throwFault,
} from './upstream-answer.js';
import { UpstreamClients } from './upstream-clients.js';

const TOKEN_BYTES_MAX = 65_536;
/** About ten times the public schema. */
const SCHEMA_BYTES_MAX = 8_388_608;
const SCHEMA_TIMEOUT_MS = 30_000;
const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json' };

/** Body of the upstream's `POST /auth/token` (interface 2.1). */
export interface BrowserTokenRequest {
  readonly hirerId: string;
  /** Sorted, without repetition. */
  readonly scopes: readonly string[];
  /** Pseudonym of the end user. */
  readonly userId: string;
}

/** How a GraphQL request is sent. */
interface GraphqlOptions extends Pick<OutgoingRequest, 'bodyBytesMax' | 'cancellation'> {
  /** None for what needs no token. */
  readonly token: string | undefined;
  /** `Accept-Language` of the end user the answer is for; none where it is for several. */
  readonly language?: string | undefined;
  /** `UPSTREAM_TIMEOUT_MS` by default. */
  readonly timeoutMs?: number;
}

/** The upstream gave no schema. */
export class IntrospectionFault extends Error {
  override readonly name = 'IntrospectionFault';
}

type UpstreamSettings = Pick<
  Config,
  | 'UPSTREAM_URL'
  | 'UPSTREAM_TIMEOUT_MS'
  | 'ISSUER_TOKEN_URL'
  | 'ISSUER_TIMEOUT_MS'
  | 'PARTNER_CLIENT_ID'
  | 'PARTNER_AUDIENCE'
  | 'PARTNER_TOKEN_REQUEST'
>;

@Injectable()
export class Upstream {
  /** What the answers of the browser-token endpoint say, whatever their status. */
  private readonly tokenAnswers: CallReports;

  constructor(
    private readonly clients: UpstreamClients,
    private readonly kept: PartnerTokenGuard,
    @Inject(CONFIG) private readonly config: UpstreamSettings,
    conditions: Conditions,
    @Default() private readonly graphqlPath = `${pathOf(config.UPSTREAM_URL)}/graphql`,
  ) {
    this.tokenAnswers = conditions.calls('upstream-failing', 'browser token answers');
  }

  /**
   * Client-credentials request to the issuer (RFC 6749 section 4.4.2; `audience` as the public issuer wants it). Each
   * fault of the issuer is a refusal, not thrown.
   */
  async requestPartnerToken(clientSecret: string, context: RequestContext): Promise<PartnerTokenAnswer> {
    const { ISSUER_TOKEN_URL: url, ISSUER_TIMEOUT_MS: timeoutMs } = this.config;
    const path = url!.pathname + url!.search;
    const bounds = { timeoutMs, bodyBytesMax: TOKEN_BYTES_MAX };
    try {
      const content = encodeCredentials(this.config, clientSecret);
      const answer = await this.clients.issuer.send({ method: 'POST', path, ...content, ...bounds }, context);
      return readPartnerToken(answer, clientSecret);
    } catch (error) {
      if (!(error instanceof ExchangeFault)) throw error;
      return { kind: 'refused', reason: error.kind, credentials: false };
    }
  }

  /**
   * Asks for a browser token (interface 4.2).
   * @returns undefined when the upstream does not accept the partner token
   * @throws BffError `hirer_not_connected`, `rate_limited`, `unavailable`, `upstream_error` or `upstream_timeout`
   */
  async requestBrowserToken(
    { hirerId, scopes, userId }: BrowserTokenRequest,
    partnerToken: string,
    context: RequestContext,
  ): Promise<TokenGrant | undefined> {
    const body = JSON.stringify({ hirerId, scope: scopes.join(' '), userId });
    const answer = await this.postToTokenEndpoint(body, partnerToken, context).catch(throwFault);
    if (answer.status === 401) {
      this.tokenAnswers.failed('the partner token is refused');
      return undefined;
    }
    if (answer.status === 403) {
      throw new BffError('hirer_not_connected', { message: 'token endpoint answered 403' });
    }
    if (answer.status !== 200) throw fromRefusal(answer, 'token endpoint');
    const granted = readBrowserToken(answer, scopes, partnerToken);
    if (granted) {
      this.tokenAnswers.succeeded();
      return granted;
    }
    this.tokenAnswers.failed('no token that can be used');
    throw new BffError('upstream_error', {
      message:
        'token endpoint: no bearer token with a life, of the very scope asked, that is not the partner token',
    });
  }

  /** @throws ExchangeFault when no whole answer came in time */
  postToTokenEndpoint(body: string, partnerToken: string, context: RequestContext): Promise<IncomingAnswer> {
    const { UPSTREAM_URL, UPSTREAM_TIMEOUT_MS: timeoutMs } = this.config;
    const headers = { authorization: `Bearer ${partnerToken}`, ...JSON_HEADERS };
    const path = `${pathOf(UPSTREAM_URL)}/auth/token`;
    const bounds = { timeoutMs, bodyBytesMax: TOKEN_BYTES_MAX };
    return this.clients.token.send({ method: 'POST', path, headers, body, ...bounds }, context);
  }

  /**
   * Sends one GraphQL request (interface 4.1).
   * @param body as the interface has it (2.3): an operation, or an array of them
   * @throws ExchangeFault when no whole answer came in time
   */
  sendGraphql(
    body: string | Buffer,
    { token, language, ...bounds }: GraphqlOptions,
    context: RequestContext,
  ): Promise<IncomingAnswer> {
    const headers: Record<string, string> = { ...JSON_HEADERS };
    if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
    if (language !== undefined) headers['accept-language'] = language;
    const { UPSTREAM_TIMEOUT_MS: timeoutMs } = this.config;
    const request = { method: 'POST', path: this.graphqlPath, headers, body, timeoutMs, ...bounds } as const;
    return this.clients.graphql.send(request, context);
  }

  /**
   * The answer to introspection, deprecated arguments and input fields included; its `data` holds `__schema`.
   * @throws IntrospectionFault for another answer; ExchangeFault
   */
  async fetchSchema(token: string | undefined, context: RequestContext): Promise<string> {
    const query = getIntrospectionQuery({ inputValueDeprecation: true, descriptions: false });
    const body = JSON.stringify({ query, operationName: 'IntrospectionQuery' });
    const bounds = { bodyBytesMax: SCHEMA_BYTES_MAX, timeoutMs: SCHEMA_TIMEOUT_MS };
    const answer = await this.sendGraphql(body, { token, ...bounds }, context);
    const data = readJsonObject(answer)?.['data'];
    if (isObject(data) && '__schema' in data) return answer.body.toString('utf8');
    throw new IntrospectionFault(`no schema in the answer to introspection (status ${answer.status})`);
  }

  /**
   * Opens an attachment, whose body breaks off before the first byte of a partner token. The body of what is no file is
   * not read, and its connection is closed. `path` has the query too.
   * @throws BffError `upstream_error`, for a header with a partner token too, or `upstream_timeout`
   */
  async openFile(
    method: 'GET' | 'HEAD',
    path: string,
    token: string,
    context: RequestContext,
  ): Promise<StreamingAnswer> {
    const headers = { authorization: `Bearer ${token}` };
    const { UPSTREAM_TIMEOUT_MS: timeoutMs } = this.config;
    const request = { method, path, headers, timeoutMs, bodyBytesMax: 0, cancellation: context.cancellation };
    const answer = await this.clients.attachment.open(request, context).catch(throwFault);
    const isForbidden = this.kept.areInHeader(Object.values(answer.headers).join('\n'));
    if (!isForbidden && isFile(answer)) return { ...answer, body: this.kept.guard(answer.body) };
    answer.body.on('error', () => undefined).destroy();
    if (isForbidden) throw new BffError('upstream_error', { message: 'a header holds a partner token' });
    return answer;
  }
}

export function isFile({ status, headers }: Pick<StreamingAnswer, 'status' | 'headers'>): boolean {
  return status === 200 && isUncoded(headers);
}

function pathOf(url: URL | undefined): string {
  return url?.pathname.replace(/\/$/, '') ?? '';
}

function encodeCredentials(config: UpstreamSettings, clientSecret: string) {
  const { PARTNER_CLIENT_ID, PARTNER_AUDIENCE, PARTNER_TOKEN_REQUEST } = config;
  const members = {
    grant_type: 'client_credentials',
    client_id: PARTNER_CLIENT_ID!,
    client_secret: clientSecret,
    ...(PARTNER_AUDIENCE !== undefined && { audience: PARTNER_AUDIENCE }),
  };
  if (PARTNER_TOKEN_REQUEST === 'json') {
    return { headers: { ...JSON_HEADERS }, body: JSON.stringify(members) };
  }
  const headers = { ...JSON_HEADERS, 'content-type': 'application/x-www-form-urlencoded' };
  return { headers, body: new URLSearchParams(members).toString() };
}
