import {
  integer,
  list,
  listOf,
  oneOf,
  text,
  textLike,
  url,
  type Reading,
  type Setting,
} from '../values/setting.js';
import { isDecodable } from '../values/url-forms.js';
import { VERSION } from '../version.js';

const HOST = /^(?:\[[\da-f:.]+\]|[\da-z_-]+(?:\.[\da-z_-]+)*\.?)$/i;
const EXCEPTED = /^\.?(?:\[[\da-f:.]+\]|[\da-z_-]+(?:\.[\da-z_-]+)*)$/i;
const PRODUCT = /^[\x21-\x7e]+( [\x21-\x7e]+)*$/; // RFC 9110 section 10.1.5
const VSCHARS = /^[\x20-\x7e]+$/; // RFC 6749 appendix A.2

/** Settings of upstream and issuer. */
export const UPSTREAM = {
  UPSTREAM_URL: url(
    ['http', 'https'],
    {
      fallback: undefined,
      fallbackText: 'none: playground mode',
      text: 'Base address of the upstream, `{base_url}` of its interface. When unset, the built-in playground is started and used.',
    },
    ({ pathname }) => (/\/graphql\/?$/.test(pathname) ? 'must not end in /graphql' : undefined),
  ),
  ISSUER_TOKEN_URL: url(['http', 'https'], {
    fallback: undefined,
    text: 'Full address of the token request at the issuer of partner tokens. Required with `UPSTREAM_URL`.',
  }),
  PARTNER_CLIENT_ID: text({
    fallback: undefined,
    text: 'Client id at the issuer. Required with `UPSTREAM_URL`.',
  }),
  PARTNER_CLIENT_SECRET: textLike('text in printable ASCII', VSCHARS, {
    fallback: undefined,
    secret: true,
    text: 'Client secret at the issuer. Required with `UPSTREAM_URL`.',
  }),
  PARTNER_AUDIENCE: text({
    fallback: undefined,
    text: 'Value of `audience` in the token request; omitted when unset.',
  }),
  PARTNER_TOKEN_REQUEST: oneOf(['json', 'form'], {
    fallback: 'json',
    text: 'Body of the token request: a JSON object, or a form as in RFC 6749 section 4.4.2.',
  }),
  USER_AGENT: textLike('name/version in printable ASCII', PRODUCT, {
    fallback: `partner-bff/${VERSION}`,
    fallbackText: 'package name/version',
    text: '`User-Agent` of every request to upstream and issuer, as `name/version`.',
  }),
  UPSTREAM_TIMEOUT_MS: integer(50, 120_000, 'milliseconds', {
    fallback: 10_000,
    text: 'Deadline of a request to the upstream, connecting and retrying included.',
  }),
  ISSUER_TIMEOUT_MS: integer(50, 120_000, 'milliseconds', {
    fallback: 5_000,
    text: 'Deadline of a token request to the issuer.',
  }),
  UPSTREAM_IN_FLIGHT_MAX: integer(1, 100_000, 'operations', {
    fallback: 256,
    text: 'Most concurrent GraphQL operations of all users; each item of an array counts. Further ones are answered 503, and an array of more is sent when none is.',
  }),
  HTTP_HOSTS: listOf('list of host names', readHost, {
    fallback: [],
    text: 'Hosts off loopback that may be called by plain http inside a cluster: for memberships (`HIRER_ACCESS_URL`) and JWK sets (`END_USER_JWKS_URL`, or the one that a discovery document names). Never upstream, issuers or sinks.',
  }),
  OUTBOUND_PROXY: url(
    ['http', 'https'],
    {
      plainHttp: true,
      hasCredentials: true,
      fallback: undefined,
      fallbackText: 'none: calls are direct',
      text: 'HTTP proxy through which every https server is called by `CONNECT`: upstream, issuer, identity provider, membership service, event sinks. It may hold a name and a password. Names are then resolved by the proxy. Databases, brokers and the trace collector are called directly.',
    },
    proxyFault,
  ),
  OUTBOUND_PROXY_EXCEPT: list('host names, and domains that begin with a dot', EXCEPTED, {
    fallback: [],
    text: 'Hosts that are called without `OUTBOUND_PROXY`, such as `.internal.partner.example`. This machine always is.',
  }),
  PLAYGROUND_PORT: integer(0, 65_534, '', {
    fallback: 3010,
    text: "Port of the playground's upstream; its issuer uses the next one. Playground mode only.",
  }),
  PLAYGROUND_HOSTS: list('host names and addresses, without ports', HOST, {
    fallback: [],
    fallbackText: 'none: loopback names and addresses',
    text: 'Further hosts that requests may name in `Host`, such as that of a container; every listener answers 421 to others. Playground mode only.',
  }),
} as const satisfies Record<string, Setting<unknown>>;

/** A proxy is named by its origin, and credentials. */
function proxyFault({ pathname, search, hash, username, password }: URL): string | undefined {
  if (pathname + search + hash !== '/') return 'must have no path, query or fragment';
  return [username, password].every(isDecodable) ? undefined : 'holds malformed percent-encoding';
}

/** In lower case, as URLs have them. */
function readHost(host: string): Reading<string> {
  return HOST.test(host)
    ? { value: host.toLowerCase() }
    : { fault: 'is not a valid host name: each host is named whole, and a suffix such as .svc names none' };
}
