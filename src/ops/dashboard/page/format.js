const TIME = new Intl.DateTimeFormat('en-GB', {
  day: '2-digit',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});

/**
 * A time in the reader's own time zone, with year and zone: records are kept for a year, and shown to colleagues.
 * @param {string | number} time ISO 8601, or epoch milliseconds
 */
export function formatTime(time) {
  return TIME.format(new Date(time));
}

/**
 * A duration in its two largest units.
 * @param {number} seconds
 */
export function formatSeconds(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  if (hours >= 48) return `${Math.floor(hours / 24)} d ${hours % 24} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  if (minutes === 0) return `${rest} s`;
  return `${minutes} min${rest > 0 ? ` ${String(rest).padStart(2, '0')} s` : ''}`;
}

/**
 * A number, with one decimal below 100.
 * @param {number | null | undefined} value
 */
export function formatNumber(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (value >= 100) return Math.round(value).toLocaleString('en-GB');
  return String(Math.round(value * 10) / 10);
}

/**
 * A duration in milliseconds, from a second on in seconds.
 * @param {number | null} ms
 */
export function formatMs(ms) {
  if (ms === null) return '–';
  return ms < 1_000 ? `${formatNumber(ms)} ms` : `${formatNumber(ms / 1000)} s`;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const SHORT_UUID = 8;
const END_LENGTH = 14;

/**
 * The part of an identifier that tells it from others, its end: UUIDs may begin with the time, and object identifiers
 * with what all of their kind share.
 * @param {string} id
 */
export function shortId(id) {
  if (UUID.test(id)) return id.slice(-SHORT_UUID);
  const end = id.slice(id.lastIndexOf(':') + 1);
  return end.length > END_LENGTH ? `…${end.slice(-END_LENGTH)}` : end || id;
}
