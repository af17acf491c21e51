import type { Environment } from './load-config.js';
import { SETTINGS } from './settings.js';

const NAMES = Object.keys(SETTINGS);
const PREFIXES = new Set(NAMES.filter((name) => name.includes('_')).map((name) => `${name.split('_')[0]}_`));

/** A warning for each unknown variable with a prefix of ours, most likely a typing mistake. */
export function warnOfUnknownSettings(environment: Environment): string[] {
  return Object.keys(environment)
    .filter((name) => !isKnown(name) && [...PREFIXES].some((prefix) => name.startsWith(prefix)))
    .map((name) => `${name} is not a setting of this service; did you mean ${nearest(name)}?`);
}

/** The playground checks its own settings. */
function isKnown(name: string): boolean {
  return name.replace(/_FILE$/, '') in SETTINGS || name.startsWith('PLAYGROUND_');
}

function nearest(name: string): string {
  const ranked = NAMES.map((known) => ({ known, distance: editDistance(name, known) }));
  return ranked.reduce((best, next) => (next.distance < best.distance ? next : best)).known;
}

/** Levenshtein distance. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const substitution = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
}
