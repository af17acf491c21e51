/**
 * True if a request has a header several times. Node keeps the first of some headers and joins others; a proxy in front
 * may have looked at the last.
 * @param name in lower case
 * @param rawHeaders names and values in turn, as Node gives them
 */
export function isRepeated(name: string, rawHeaders: readonly string[]): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index]!;
    if (header.length === name.length && header.toLowerCase() === name) count += 1;
  }
  return count > 1;
}
