/** @import { Counts } from './samples.js' */

/**
 * A quantile of requests that were counted in buckets, in milliseconds: linear within its bucket, as Prometheus has it,
 * and beyond the last bound, that bound. Histograms of any number of intervals can be added up before; quantiles cannot.
 * @param {Counts} histogram requests by upper bound of their bucket in seconds, `Infinity` for the last
 * @param {readonly number[]} boundsSeconds of all buckets, rising
 * @param {number} share from 0 to 1
 * @returns {number | null} null when there was no request
 */
export function quantile(histogram, boundsSeconds, share) {
  const count = Object.values(histogram).reduce((sum, one) => sum + one, 0);
  if (count === 0) return null;
  let rank = count * share;
  let low = 0;
  for (const bound of boundsSeconds) {
    const inside = histogram[String(bound)] ?? 0;
    if (inside > 0 && rank <= inside) return milliseconds(low + ((bound - low) * rank) / inside);
    rank -= inside;
    low = bound;
  }
  return milliseconds(low);
}

/** @param {number} seconds */
function milliseconds(seconds) {
  return Math.round(seconds * 1e5) / 100;
}
