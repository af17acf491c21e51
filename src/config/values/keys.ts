import { readParts, splitByComma, type Reading } from './setting.js';
import { textFault } from './text-fault.js';

const KEY_BYTES_MIN = 32;
const DISTINCT_CHARACTERS_MIN = 8;
const KEYS_MAX = 2;

/** The form that {@link readKey} accepts. */
export const KEY = `random text of ${KEY_BYTES_MIN} bytes or more`;

/** A key of at least 32 bytes. One that is a repeated pattern or a known sample is refused. */
export function readKey(text: string): Reading<string> {
  if (Buffer.byteLength(text) < KEY_BYTES_MIN) {
    return { fault: `must be at least ${KEY_BYTES_MIN} bytes of random text` };
  }
  if (new Set(text).size < DISTINCT_CHARACTERS_MIN) {
    return { fault: 'is too regular to be random; make one with: openssl rand -base64 48' };
  }
  if (/change.?me|replace.?me|your.?(key|secret)|example|password|placeholder/i.test(text)) {
    return { fault: 'looks like a sample; make one with: openssl rand -base64 48' };
  }
  return { value: text };
}

/** One or two keys, the newest first, separated by a comma. */
export function readKeys(raw: string): Reading<readonly string[]> {
  const parts = splitByComma(raw);
  return parts.length > KEYS_MAX
    ? { fault: 'holds more than two keys; keep the newest and the previous one' }
    : readParts(parts, 'key', readKey);
}

/** Keys on a line each, the newest first. */
export function readKeyLines(raw: string): Reading<readonly string[]> {
  return readParts(raw.split('\n'), 'line', (line) => {
    const fault = textFault(line);
    return fault === undefined ? readKey(line) : { fault };
  });
}
