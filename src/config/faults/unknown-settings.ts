import { editDistance } from '../edit-distance.js';
import type { Environment } from '../load-config.js';
import { SETTINGS } from '../settings.js';

const NAMES = Object.keys(SETTINGS);
const PREFIXES = new Set(NAMES.filter((name) => name.includes('_')).map((name) => `${name.split('_')[0]}_`));
PREFIXES.delete('OTEL_'); // of the OpenTelemetry SDK, which reads more than the table has

/**
 * A warning for each unknown variable with a prefix of ours, most likely a typing mistake, and for a proxy that other
 * programs would use.
 */
export function warnOfUnknownSettings(environment: Environment): string[] {
  const unknown = Object.keys(environment)
    .filter((name) => !isKnown(name) && [...PREFIXES].some((prefix) => name.startsWith(prefix)))
    .map((name) => `${name} is not a setting of this service; did you mean ${nearest(name)}?`);
  const { UPSTREAM_URL, HTTPS_PROXY, OUTBOUND_PROXY, OUTBOUND_PROXY_FILE } = environment;
  const isUnused = UPSTREAM_URL && HTTPS_PROXY && !OUTBOUND_PROXY && !OUTBOUND_PROXY_FILE;
  return isUnused
    ? [...unknown, 'HTTPS_PROXY is not read by this service; did you mean OUTBOUND_PROXY?']
    : unknown;
}

/** The playground checks its own settings. */
function isKnown(name: string): boolean {
  return name in SETTINGS || name.replace(/_FILE$/, '') in SETTINGS || name.startsWith('PLAYGROUND_');
}

function nearest(name: string): string {
  const ranked = NAMES.map((known) => ({ known, distance: editDistance(name, known) }));
  return ranked.reduce((best, next) => (next.distance < best.distance ? next : best)).known;
}
