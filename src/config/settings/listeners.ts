import ipaddr from 'ipaddr.js';
import {
  flag,
  integer,
  isAddress,
  list,
  listOf,
  setting,
  TOKEN,
  type Reading,
  type Setting,
} from '../values/setting.js';

/** Of pages in the shell of an app; browsers write no port or path for it. */
const APP_ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[a-z\d._-]*\/?$/i;

const TOKEN_BYTES_MIN = 16;
const ADDRESS = 'IP address, or `localhost`';

/** Settings of both listeners: addresses, the callers they trust, and what they accept. */
export const LISTENERS = {
  PORT: integer(0, 65_535, '', { fallback: 3000, text: 'Port of the public listener.' }),
  HOST: setting(ADDRESS, readAddress, {
    fallback: '0.0.0.0',
    fallbackText: '0.0.0.0; 127.0.0.1 in playground mode',
    text: 'Address the public listener binds to; `::` takes IPv6 and IPv4. In playground mode the name of a machine, as conda and csh set it, is ignored.',
  }),
  OPS_PORT: integer(0, 65_535, '', {
    fallback: 3001,
    text: 'Port of the ops listener: metrics, health, audit, administration.',
  }),
  OPS_HOST: setting(ADDRESS, readAddress, {
    fallback: '127.0.0.1',
    text: 'Address the ops listener binds to; `::` takes IPv6 and IPv4. Any but loopback needs `OPS_TOKEN`.',
  }),
  OPS_TOKEN: setting(`ASCII text of ${TOKEN_BYTES_MIN} bytes or more`, readToken, {
    fallback: undefined,
    secret: true,
    text: "Bearer token that every ops route requires when set, except the health routes and the dashboard's files.",
  }),
  CORS_ORIGINS: listOf('list of origins, `scheme://host[:port]`', readOrigin, {
    fallback: [],
    text: 'Exact origins whose pages may call the public routes; those of apps too, such as `capacitor://localhost`.',
  }),
  CORS_HEADERS: list('header names', TOKEN, {
    fallback: [],
    text: 'Request headers that pages of `CORS_ORIGINS` may send, besides those that the routes read and common GraphQL and tracing clients add.',
  }),
  TRUST_PROXY: list('IP addresses and CIDR ranges', isAddressRange, {
    fallback: [],
    text: 'Proxies whose `X-Forwarded-*` headers are trusted.',
  }),
  TRUST_TRACE: flag({
    fallback: false,
    text: "Continue the caller's trace (`traceparent`, `tracestate`) instead of linking to it.",
  }),
  BODY_LIMIT_BYTES: integer(1024, 104_857_600, 'bytes', {
    fallback: 1_048_576,
    text: 'Largest request body.',
  }),
  CONNECTIONS_MAX: integer(10, 1_000_000, 'connections', {
    fallback: 4_000,
    text: 'Most open connections of each listener. A further one is closed immediately, and those that are idle make room; requests in progress are not affected.',
  }),
  KEEP_ALIVE_SECONDS: integer(1, 3_600, 'seconds', {
    fallback: 95,
    text: 'How long an idle connection of a caller is kept: longer than what stands in front keeps it, which would otherwise send a request on a connection that has just closed. See [deploy.md](deploy.md#idle-connections).',
  }),
  SHUTDOWN_DELAY_MS: integer(0, 60_000, 'milliseconds', {
    fallback: 1_000,
    text: 'Time between a stop signal and the end of listening: `/readyz` answers 503 and connections are closed after their answer, so that the load balancer stops sending traffic before requests can be lost.',
  }),
  SHUTDOWN_TIMEOUT_MS: integer(0, 600_000, 'milliseconds', {
    fallback: 20_000,
    text: 'Time that requests in progress have to finish during a stop; then their connections are closed.',
  }),
} as const satisfies Record<string, Setting<unknown>>;

/** Beyond ASCII, clients differ in what they send in a header. */
function readToken(text: string): Reading<string> {
  if (text.length < TOKEN_BYTES_MIN) return { fault: `must be at least ${TOKEN_BYTES_MIN} bytes` };
  return /^[\x20-\x7e]+$/.test(text) ? { value: text } : { fault: 'must be printable ASCII' };
}

function readAddress(text: string): Reading<string> {
  return isAddress(text)
    ? { value: text }
    : {
        fault:
          'must be an IP address, such as 0.0.0.0 or ::, or localhost; conda and csh set HOST by themselves',
      };
}

/** Reads an origin, as browsers write it (RFC 6454 section 6.2): lower case, without the scheme's own port. */
function readOrigin(item: string): Reading<string> {
  const url = URL.canParse(item) ? new URL(item) : undefined;
  const isWeb = /^https?:/i.test(item);
  if (url && /^https?:\/\/[^/?#@*\\]+\/?$/i.test(item)) return { value: url.origin };
  if (!isWeb && APP_ORIGIN.test(item) && url?.protocol !== 'file:') {
    return { value: item.toLowerCase().replace(/(?<=[^/])\/$/, '') };
  }
  return { fault: 'must be an origin: scheme://host or scheme://host:port, without a path or a wildcard' };
}

function isAddressRange(item: string): boolean {
  const { IPv4, IPv6 } = ipaddr;
  const isRange = item.includes('/');
  if (/\/0*$/.test(item)) return false; // every address
  if (item.includes(':')) return isRange ? IPv6.isValidCIDR(item) : IPv6.isValid(item);
  return isRange ? IPv4.isValidCIDRFourPartDecimal(item) : IPv4.isValidFourPartDecimal(item);
}
