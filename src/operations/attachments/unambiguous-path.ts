const DECODINGS_MAX = 4;

/** A backslash, a control character, an encoded slash, backslash or dot. */
const UNSAFE = /[\\\x00-\x1f\x7f]|%(?:2f|5c|2e)/i;
/** A segment that means "here" or "above", with parameters (RFC 3986, 3.3) that some servers cut off first. */
const DOT_SEGMENT = /(?:^|\/)\.{1,2}(?:;[^/]*)?(?:\/|$)/;
const ENCODED = /%[\da-f]{2}/i;
/** A percent sign that encodes nothing (RFC 3986, 2.1): some servers accept it as it is, some refuse it. */
const MALFORMED = /%(?![\da-f]{2})/i;

/**
 * True if every server on the way reads a path, or a URL up to its path, as the same one, however often it decodes it:
 * no dot segment, encoded separator, backslash, white space, control character or empty segment, and UTF-8 only.
 */
export function isUnambiguousPath(text: string): boolean {
  const path = text.replace(/^https?:\/\//, '');
  if (/\s|\/\//.test(path) || MALFORMED.test(path)) return false;
  for (let decoded = path, round = 0; round < DECODINGS_MAX; round += 1) {
    if (UNSAFE.test(decoded) || DOT_SEGMENT.test(decoded)) return false;
    if (!ENCODED.test(decoded)) return true;
    try {
      decoded = decodeURIComponent(decoded);
    } catch {
      return false; // not UTF-8: an overlong form of a dot or a slash
    }
  }
  return false;
}
