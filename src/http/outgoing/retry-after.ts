const SECONDS_MAX = 3_600;

/**
 * Whole seconds of a `Retry-After` header (RFC 9110 section 10.2.3), a number or a date; at least 1, at most an hour.
 * Undefined when there is none or it is not valid.
 */
export function retryAfterSeconds(header: string | string[] | undefined, nowMs: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - nowMs) / 1000;
  if (Number.isNaN(seconds)) return undefined;
  return Math.min(Math.max(Math.ceil(seconds), 1), SECONDS_MAX);
}
