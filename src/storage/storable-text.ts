/**
 * Whether every database can store the text and be queried for it: PostgreSQL allows no NUL in text, and UTF-8 no lone
 * surrogate.
 */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
