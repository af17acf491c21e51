import { UnavailableError } from '../../config/faults/start-faults.js';
import { ConfigError, type Config } from '../../config/load-config.js';
import { UserIds } from '../../auth/user-ids.js';
import { BffError } from '../../errors/bff-error.js';
import { ExchangeFault } from '../../http/outgoing/exchange.js';
import { RequestContext } from '../../http/request-context.js';
import { isObject } from '../../json/parse-json.js';
import { memberAt } from '../../json/member-at.js';
import { readJsonObject } from '../../upstream/upstream-answer.js';
import type { PartnerAccess } from '../partner-access.js';
import { fail, ok, warn, type Check, type Result } from './finding.js';

/** A hirer that the partner has a relationship with (facts of the public schema, as `operations/connected-hirers.graphql`). */
const HIRER = `query DoctorHirer($schemeId: String!, $first: Int) {
  hiringOrganizations(schemeId: $schemeId, first: $first) { edges { node { id { value } } } }
}`;

const CREDENTIALS = 'check PARTNER_CLIENT_ID, _SECRET, _AUDIENCE, and PARTNER_TOKEN_REQUEST';
const NOT_ACCEPTED = fail(
  'does not accept the partner token',
  'check PARTNER_AUDIENCE, and that issuer and upstream belong together',
);

/** Issuer and upstream, asked as the service asks them. */
export function upstreamChecks(config: Config, partner: PartnerAccess): Check[] {
  const check = (name: string, setting: string, run: Check['run']): Check => ({
    name,
    todo: `check ${setting}, and that this machine can reach it`,
    run,
  });
  return [
    check('issuer', 'ISSUER_TOKEN_URL', () => tryIssuer(partner)),
    check('token endpoint', 'UPSTREAM_URL', () =>
      withToken(partner, (token) => tryTokenEndpoint(config, partner, token)),
    ),
    check('graphql', 'UPSTREAM_URL', () => tryVersion(partner)),
  ];
}

/** Runs a check with the partner token, one for every check; without it, it is not run. */
export async function withToken(
  partner: PartnerAccess,
  work: (token: string) => Promise<Result>,
): Promise<Result> {
  const answer = await partner.grant();
  return answer.kind === 'granted'
    ? work(answer.accessToken)
    : warn('not tried: there is no partner token', 'see the issuer first');
}

async function tryIssuer(partner: PartnerAccess): Promise<Result> {
  const answer = await partner.grant();
  if (answer.kind === 'granted') return ok(`issued a partner token, valid for ${answer.lifeSeconds} s`);
  if (answer.credentials) return fail('it rejects the client credentials', CREDENTIALS);
  const isReached = !['connection', 'timeout'].includes(answer.reason);
  const todo = isReached
    ? 'check ISSUER_TOKEN_URL and PARTNER_AUDIENCE: it answers, but issues no token'
    : 'check ISSUER_TOKEN_URL, and that this machine can reach it';
  return fail(`no token: ${answer.reason}`, todo);
}

async function tryVersion(partner: PartnerAccess): Promise<Result> {
  const answer = await partner.send(JSON.stringify({ query: 'query Version { version }' }), undefined);
  const version = memberAt(readJsonObject(answer) ?? {}, '/data/version');
  if (typeof version === 'string') return ok(`answers; version ${version.slice(0, 40)}`);
  return fail(
    `no version in the response (status ${answer.status})`,
    'check UPSTREAM_URL: the service adds /graphql to it',
  );
}

/** By a token for a connected hirer, where the scheme is known; else by a request without content. */
async function tryTokenEndpoint(config: Config, partner: PartnerAccess, token: string): Promise<Result> {
  const hirerId = await connectedHirer(config, partner, token);
  if (hirerId === undefined) return tryEmptyRequest(partner, token);
  const userId = new UserIds(config).of('partner-bff', 'doctor');
  const request = { hirerId, scopes: config.ALLOWED_SCOPES.slice(0, 1), userId };
  const answer = await partner.upstream.requestBrowserToken(request, token, RequestContext.background());
  return answer ? ok(`issued a browser token, valid for ${answer.lifeSeconds} s`) : NOT_ACCEPTED;
}

async function connectedHirer(
  { EVENTS_SCHEME_ID: schemeId }: Config,
  partner: PartnerAccess,
  token: string,
): Promise<string | undefined> {
  if (schemeId === undefined) return undefined;
  const body = JSON.stringify({ query: HIRER, variables: { schemeId, first: 1 } });
  const answer = await partner.send(body, token);
  const edges = memberAt(readJsonObject(answer) ?? {}, '/data/hiringOrganizations/edges');
  const [edge] = Array.isArray(edges) ? (edges as unknown[]) : [];
  const id = isObject(edge) ? memberAt(edge, '/node/id/value') : undefined;
  return typeof id === 'string' ? id : undefined;
}

async function tryEmptyRequest({ upstream }: PartnerAccess, token: string): Promise<Result> {
  const { status } = await upstream.postToTokenEndpoint('{}', token, RequestContext.background());
  if (status === 401) return NOT_ACCEPTED;
  if (status === 404 || status === 405 || status >= 500) {
    return fail(`answers ${status}`, 'check UPSTREAM_URL: the service adds /auth/token to it');
  }
  return ok(`exists (${status} to an empty request); no connected hirer is known to request a token for`);
}

/** Why a call failed, without what was sent or answered. */
export function reasonOf(error: unknown): string {
  if (error instanceof ExchangeFault) {
    const { code } = (isObject(error.cause) ? error.cause : {}) as { code?: unknown };
    return `no answer: ${error.kind}${typeof code === 'string' ? ` (${code})` : ''}`;
  }
  if (error instanceof ConfigError || error instanceof UnavailableError) return error.faults.join('; ');
  if (error instanceof BffError && error.cause !== undefined) return reasonOf(error.cause);
  return error instanceof Error ? error.message : 'it failed';
}
