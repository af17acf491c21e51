import type { Config } from '../../config/load-config.js';
import { OutgoingRequest } from '../../http/outgoing/exchange.js';
import { HttpClient } from '../../http/outgoing/http-client.js';
import { RequestContext } from '../../http/request-context.js';
import { fail, ok, warn, type Check, type Finding, type Result } from './finding.js';
import { keyPlaces } from './key-checks.js';

/**
 * `Date` headers have whole seconds, and a busy server's may be older than its answer. Tokens are judged by their times, and
 * a signed delivery is refused when it is five minutes old.
 */
const WARNED_MS = 5_000;
const FAILED_MS = 60_000;
const BOUNDS = { timeoutMs: 8_000, bodyBytesMax: 65_536 };
const NTP = 'synchronize this machine by NTP';

/** The clock of each server that is asked over HTTP, by the `Date` header (RFC 9110 section 6.6.1) of what it answers. */
export function clockChecks(config: Config): Check[] {
  const { UPSTREAM_URL, ISSUER_TOKEN_URL, HIRER_ACCESS, HIRER_ACCESS_URL } = config;
  const servers: [name: string, url: URL | string][] = [
    ['issuer', ISSUER_TOKEN_URL!],
    ['upstream', UPSTREAM_URL!],
    ...keyPlaces(config),
  ];
  if (HIRER_ACCESS === 'http') servers.push(['membership service', HIRER_ACCESS_URL!]);
  return servers.map(([name, url]) => ({
    name: `clock of ${name}`,
    todo: NTP,
    run: async () => {
      const theirs = await timeAt(new URL(url), config);
      return theirs === undefined ? [] : clockOf(name, theirs);
    },
  }));
}

/** @param theirs epoch milliseconds, as said now; NaN where no answer said them */
export function clockOf(peer: string, theirs: number): Finding[] {
  return [{ name: `clock of ${peer}`, ...judge(theirs - Date.now()) }];
}

/** Undefined where nothing answers, which the server's own check says. */
async function timeAt(url: URL, config: Config): Promise<number | undefined> {
  const client = new HttpClient('clock', url, config, { connectionsMax: 1 });
  const request = new OutgoingRequest('HEAD', url.pathname, {}, BOUNDS);
  try {
    const { headers } = await client.send(request, RequestContext.background());
    return Date.parse(headers.date ?? '');
  } catch {
    return undefined;
  } finally {
    await client.close();
  }
}

function judge(skewMs: number): Result {
  if (Number.isNaN(skewMs)) {
    return warn('not checked: the response has no Date header', NTP);
  }
  const off = Math.abs(skewMs);
  if (off < WARNED_MS) return ok(`within ${WARNED_MS / 1000} s of ours`);
  return (off < FAILED_MS ? warn : fail)(
    `${Math.round(off / 1000)} s ${skewMs > 0 ? 'ahead of' : 'behind'} ours`,
    `${NTP}; theirs may be wrong too`,
  );
}
