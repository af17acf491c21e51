import {
  readParts,
  setting,
  splitByComma,
  type Reading,
  type Setting,
  type SettingOptions,
} from './setting.js';
import { textFault } from './text-fault.js';

const KEY_BYTES_MIN = 32;
const DISTINCT_CHARACTERS_MIN = 8;
const KEYS_MAX = 2;

/** A secret of at least `bytesMin` characters of ASCII, as headers hold: beyond it, clients differ in what they send. */
export function secretText(bytesMin: number, description: string): Setting<string | undefined> {
  return setting(
    `ASCII text of ${bytesMin} bytes or more`,
    (value) => {
      if (value.length < bytesMin) return { fault: `must be at least ${bytesMin} bytes` };
      return /^[\x20-\x7e]+$/.test(value) ? { value } : { fault: 'must be printable ASCII' };
    },
    { fallback: undefined, secret: true, text: description },
  );
}

/** A key of at least 32 bytes. One that is a repeated pattern or a known sample is refused. */
export function key(description: string): Setting<string | undefined> {
  return setting(`text of ${KEY_BYTES_MIN} bytes or more`, readKey, {
    fallback: undefined,
    secret: true,
    text: description,
  });
}

/** Keys as {@link key} takes them, the newest first, on a line each. */
export function keyLines(description: string): Setting<readonly string[]> {
  return setting(
    `text of ${KEY_BYTES_MIN} bytes or more; the previous one may follow on a second line`,
    (raw) => readParts(raw.split('\n'), 'line', readLine),
    { fallback: [], secret: true, hasLines: true, text: description },
  );
}

/** One or two keys as {@link key} takes them, the newest first, separated by a comma. */
export function keys(options: SettingOptions<readonly string[]>): Setting<readonly string[]> {
  return setting(
    `text of ${KEY_BYTES_MIN} bytes or more; the previous one may follow after a comma`,
    (raw) => {
      const parts = splitByComma(raw);
      return parts.length > KEYS_MAX
        ? { fault: 'holds more than two keys; keep the newest and the previous one' }
        : readParts(parts, 'key', readKey);
    },
    { ...options, secret: true },
  );
}

function readLine(value: string): Reading<string> {
  const fault = textFault(value);
  return fault === undefined ? readKey(value) : { fault };
}

function readKey(value: string): Reading<string> {
  const fault = weakness(value);
  return fault === undefined ? { value } : { fault };
}

/** The reason why a key is unfit, or undefined. */
function weakness(text: string): string | undefined {
  if (Buffer.byteLength(text) < KEY_BYTES_MIN) {
    return `must be at least ${KEY_BYTES_MIN} bytes of random text`;
  }
  if (new Set(text).size < DISTINCT_CHARACTERS_MIN) {
    return 'is too regular to be random; make one with: openssl rand -base64 48';
  }
  if (/change.?me|replace.?me|your.?(key|secret)|example|password|placeholder/i.test(text)) {
    return 'looks like a sample; make one with: openssl rand -base64 48';
  }
  return undefined;
}
