import type { Config } from '../../config/load-config.js';
import { isDiscoverable } from '../../config/values/url-forms.js';
import { RequestContext } from '../../http/request-context.js';
import { OutgoingRequest } from '../../http/outgoing/exchange.js';
import { HttpClient, type ClientSettings } from '../../http/outgoing/http-client.js';
import { isObject } from '../../json/parse-json.js';

/** Of one call. */
const BOUNDS = { timeoutMs: 5_000, bodyBytesMax: 64 * 1024 };

/** The discovery document names another issuer: an answer's text, so not for the log. */
export class ForeignIssuer extends Error {
  constructor(readonly issuer: unknown) {
    super('the discovery document is not of this issuer');
  }
}

/**
 * The JWK set behind a URL, parsed and not judged; asked for so rarely that no connection is kept.
 * @throws Error when it cannot be had; its message holds nothing of an answer
 */
export async function fetchKeySet(url: URL, settings: ClientSettings): Promise<unknown> {
  const client = new HttpClient('end-user-keys', url, settings, { connectionsMax: 1 });
  const path = url.pathname + url.search;
  try {
    return await client.fetchJson(new OutgoingRequest('GET', path, {}, BOUNDS), RequestContext.background());
  } finally {
    await client.close();
  }
}

/**
 * The JWK set that an issuer's discovery document names (OpenID Connect Discovery 1.0 section 4). The document is read
 * anew each time, so that an issuer may move its keys.
 * @param issuer for which `isDiscoverable` is true
 * @throws ForeignIssuer, which is a mistake or somebody else's keys (section 4.3); Error as {@link fetchKeySet}
 */
export async function discoverKeySet(
  issuer: string,
  settings: ClientSettings & Pick<Config, 'HTTP_HOSTS'>,
): Promise<unknown> {
  const url = new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  const document = await fetchKeySet(url, settings);
  const { issuer: named, jwks_uri: href } = isObject(document) ? document : {};
  if (named !== issuer) throw new ForeignIssuer(named);
  if (typeof href !== 'string' || !isDiscoverable(href.split('?', 1)[0]!, settings.HTTP_HOSTS)) {
    throw new Error('the discovery document names no https jwks_uri');
  }
  return fetchKeySet(new URL(href), settings);
}
