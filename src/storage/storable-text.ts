/**
 * Whether every store can hold the text, and be asked for it: PostgreSQL has no NUL in a text, and UTF-8 no half of a
 * surrogate pair.
 */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
