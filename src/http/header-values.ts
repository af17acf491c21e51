const SECONDS_MAX = 3_600;

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
