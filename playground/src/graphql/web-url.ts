import { invalid } from './errors.js';
import { assertLength } from './input-checks.js';

const URL_CHARACTERS_MAX = 1_000;

/** Throws unless a text is an absolute http or https address of at most 1,000 characters. */
export function assertUrl(url: string, field: string): void {
  assertLength(url, URL_CHARACTERS_MAX, field);
  const isWeb = URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
  if (!isWeb) throw invalid(field, 'must be an absolute http or https address');
}
