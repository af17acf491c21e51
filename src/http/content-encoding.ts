/**
 * The content codings of a message (RFC 9110 section 8.4), as its header names them; undefined for a body that is as it
 * stands, which `identity` and an empty header mean too (section 12.5.3).
 */
export function contentCodings(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const codings = header.toString();
  return /^[\s,]*(identity[\s,]*)*$/i.test(codings) ? undefined : codings;
}
