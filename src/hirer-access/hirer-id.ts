const BYTES_MAX = 255;

/**
 * Whether a value can be a hirer's object identifier (interface 2.5). It is opaque, so only its size is checked, and that
 * it is safe in JSON and in a log line; the scheme is the upstream's business.
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
