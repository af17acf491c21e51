import ipaddr from 'ipaddr.js';
import { secretText } from '../values/secret-setting.js';
import { address, flag, integer, list, port, type Setting } from '../values/setting.js';

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/; // RFC 9110 section 5.1, token
const ORIGIN = /^https?:\/\/[a-z0-9.-]+(:\d{1,5})?$/; // RFC 6454 section 6.2; no wildcard, no path

/** Settings of both listeners: addresses, the callers they trust, and what they accept. */
export const LISTENERS = {
  PORT: port({ fallback: 3000, text: 'Port of the public listener.' }),
  HOST: address(
    {
      fallback: '0.0.0.0',
      fallbackText: '0.0.0.0; 127.0.0.1 in playground mode',
      text: 'Address the public listener binds to; `::` takes IPv6 and IPv4. In playground mode the name of a machine, as conda and csh set it, is ignored.',
    },
    '; conda and csh set it to the name of the machine: unset it, or set it to an address',
  ),
  OPS_PORT: port({
    fallback: 3001,
    text: 'Port of the ops listener: metrics, health, audit, administration.',
  }),
  OPS_HOST: address({
    fallback: '127.0.0.1',
    text: 'Address the ops listener binds to; `::` takes IPv6 and IPv4. Any but loopback needs `OPS_TOKEN`.',
  }),
  OPS_TOKEN: secretText(16, 'Bearer token that every ops route except the health routes requires when set.'),
  CORS_ORIGINS: list('origin (scheme://host[:port])', (item) => ORIGIN.test(item) && URL.canParse(item), {
    fallback: [],
    text: 'Exact origins whose pages may call the public routes.',
  }),
  CORS_HEADERS: list('header name', HEADER_NAME, {
    fallback: [],
    text: 'Request headers that pages of `CORS_ORIGINS` may send, besides those that the routes read and common GraphQL and tracing clients add.',
  }),
  TRUST_PROXY: list('IP address or CIDR range', isAddressRange, {
    fallback: [],
    text: 'Proxies whose `X-Forwarded-*` headers are trusted.',
  }),
  TRUST_TRACE: flag({
    fallback: false,
    text: "Continue the caller's trace (`traceparent`, `tracestate`) instead of linking to it.",
  }),
  BODY_LIMIT_BYTES: integer(
    { min: 1024, max: 104_857_600, unit: 'bytes' },
    { fallback: 1_048_576, text: 'Largest request body.' },
  ),
  CONNECTIONS_MAX: integer(
    { min: 10, max: 1_000_000, unit: 'connections' },
    {
      fallback: 4_000,
      text: 'Most open connections of each listener. Further ones are closed immediately; open ones are not affected.',
    },
  ),
  SHUTDOWN_DELAY_MS: integer(
    { min: 0, max: 60_000, unit: 'milliseconds' },
    {
      fallback: 1_000,
      text: 'Time between a stop signal and the end of listening: `/readyz` answers 503 and connections are closed after their answer, so that the load balancer stops sending traffic before requests can be lost.',
    },
  ),
  SHUTDOWN_TIMEOUT_MS: integer(
    { min: 0, max: 600_000, unit: 'milliseconds' },
    {
      fallback: 20_000,
      text: 'Time that requests in progress have to finish during a stop; then their connections are closed.',
    },
  ),
} as const satisfies Record<string, Setting<unknown>>;

function isAddressRange(item: string): boolean {
  const isIpv4 = !item.includes(':');
  if (item.includes('/')) {
    return isIpv4 ? ipaddr.IPv4.isValidCIDRFourPartDecimal(item) : ipaddr.IPv6.isValidCIDR(item);
  }
  return isIpv4 ? ipaddr.IPv4.isValidFourPartDecimal(item) : ipaddr.IPv6.isValid(item);
}
