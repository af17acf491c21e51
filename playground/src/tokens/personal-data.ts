/**
 * True if a `userId` may be an anonymous identifier (interface.md 2.1): a number, a UUID, base64 or other opaque ASCII
 * text. Refused are e-mail addresses, names, and phone numbers with a plus or of ten digits from 0.
 * A name cannot be distinguished from every invented word, so a text of plain words without a digit counts as one, unless a part
 * is hexadecimal: no name has eight letters from a to f alone.
 */
export function isAnonymous(userId: string): boolean {
  return OPAQUE.test(userId) && !isPhoneNumber(userId) && !isName(userId);
}

/** Letters and digits with the marks of base64, base64url, UUIDs, object identifiers and subjects such as `auth0|1f3a`. */
const OPAQUE = /^[\w.:|~+/=-]{1,255}$/;

function isPhoneNumber(text: string): boolean {
  return /^(\+\d{6,15}|0\d{9})$/.test(text.replace(/[.-]/g, ''));
}

/** The most words that one part of a name runs together, as in `AmeliaJaneHughes`; random letters make more. */
const WORDS_MAX = 3;

function isName(text: string): boolean {
  const parts = text.split(/[._~|:-]+/).filter((part) => part !== '');
  return parts.length > 0 && parts.every(isWords);
}

const HEXADECIMAL = /^[a-f]{8,}$/i;

function isWords(part: string): boolean {
  const words = part.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? [];
  return /^[A-Za-z]+$/.test(part) && !HEXADECIMAL.test(part) && words.length <= WORDS_MAX;
}
