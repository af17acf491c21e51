const BYTES_MAX = 255;
const FORM = /^[^\s:]+(:[^\s:]+)+$/;

/**
 * True if a value can be a hirer's object identifier (interface 2.5). It is opaque, so only its size is checked, and
 * that it is safe in JSON and in a log line; the scheme is the upstream's business.
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

/**
 * True if a value also has the form of an object identifier: parts delimited by colons, a scheme first (interface 2.5).
 * Asked of ids that people write by hand, where a name or a part of an id would grant nothing and go unnoticed.
 */
export function isWrittenHirerId(value: unknown): value is string {
  return isHirerId(value) && FORM.test(value);
}
