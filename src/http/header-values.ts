import type { IncomingHttpHeaders } from 'node:http';

const SECONDS_MAX = 3_600;

/** True if a header's value is a UUID, the one form of identifier that is passed on. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value);
}

/** True if a header (in lower case) comes twice: Node keeps the first of some, a proxy may look at the last. */
export function isRepeated(name: string, rawHeaders: readonly string[]): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index]!;
    if (header.length === name.length && header.toLowerCase() === name) count += 1;
  }
  return count > 1;
}

/** An IPv4 address as such, where a listener of both kinds has it IPv4-mapped (RFC 4291 section 2.5.5.2). */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

/** True if a message has no content coding (RFC 9110 section 8.4) but `identity`. */
export function isUncoded({ 'content-encoding': codings = '' }: IncomingHttpHeaders): boolean {
  return /^[\s,]*(identity[\s,]*)*$/i.test(codings.toString());
}

/** Seconds of a `Retry-After` (RFC 9110 section 10.2.3), from 1 to an hour; undefined when there is no valid one. */
export function retryAfterSeconds(header: string | string[] | undefined, nowMs: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  const isSeconds = /^\d+$/.test(header);
  if (!isSeconds && !header.endsWith(' GMT')) return undefined; // Date.parse finds a year in most texts with a number
  const seconds = isSeconds ? Number(header) : (Date.parse(header) - nowMs) / 1000;
  if (Number.isNaN(seconds)) return undefined;
  return Math.min(Math.max(Math.ceil(seconds), 1), SECONDS_MAX);
}
