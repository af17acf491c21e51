const SECONDS_MAX = 3_600;

/** True if a header's value is a UUID, the one form of identifier that is passed on. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value);
}

/**
 * True if a request has a header several times: Node keeps the first of some, a proxy in front may look at the last.
 * @param name in lower case
 * @param rawHeaders names and values in turn, as Node gives them
 */
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

/**
 * The content codings of a message (RFC 9110 section 8.4), as its header names them; undefined for a body that is as it
 * stands, which `identity` and an empty header mean too (section 12.5.3).
 */
export function contentCodings(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const codings = header.toString();
  return /^[\s,]*(identity[\s,]*)*$/i.test(codings) ? undefined : codings;
}

/**
 * Whole seconds of a `Retry-After` header (RFC 9110 section 10.2.3), a number or a date; at least 1, at most an hour.
 * Undefined when there is none or it is not valid.
 */
export function retryAfterSeconds(header: string | string[] | undefined, nowMs: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  const isSeconds = /^\d+$/.test(header);
  if (!isSeconds && !header.endsWith(' GMT')) return undefined; // Date.parse finds a year in most texts with a number
  const seconds = isSeconds ? Number(header) : (Date.parse(header) - nowMs) / 1000;
  if (Number.isNaN(seconds)) return undefined;
  return Math.min(Math.max(Math.ceil(seconds), 1), SECONDS_MAX);
}
