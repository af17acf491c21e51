const BYTES_MAX = 255;

/**
 * Whether a text may be a hirer's object identifier (interface 2.5): opaque, so only its size is judged, and that it
 * can stand in JSON and in a log line. Its scheme is the upstream's affair.
 */
export function isHirerId(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length > 0 &&
    Buffer.byteLength(value) <= BYTES_MAX &&
    value.isWellFormed() &&
    !/[\p{Cc}]|^\s|\s$/u.test(value)
  );
}
