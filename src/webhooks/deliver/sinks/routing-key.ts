import { createHash } from 'node:crypto';

/** So that a routing key fits into the 255 bytes of AMQP. */
const WORD_BYTES_MAX = 120;
const KEPT_OF_LONG = 70;
/** In place of a word that is empty: an event without a hirer. */
const NONE = '-';

/** `<type>.<hirer>` of an event: two words, whatever the event holds. */
export function routingKey(type: string, hirerId: string | null): string {
  return `${toWord(type)}.${toWord(hirerId ?? '')}`;
}

/**
 * A text as one word of a subject or routing key: letters, digits, `_`, `-` and `:` as they are, every other byte
 * percent-encoded. No two texts are one word. A long one is cut, and ends in `~` and its SHA-256.
 */
export function toWord(text: string): string {
  if (text === '') return NONE;
  const word = text === NONE ? encode(text) : text.replaceAll(/[^A-Za-z0-9_:-]+/g, encode);
  if (word.length <= WORD_BYTES_MAX) return word;
  return `${word.slice(0, KEPT_OF_LONG)}~${createHash('sha256').update(word).digest('base64url')}`;
}

function encode(text: string): string {
  const bytes = [...Buffer.from(text)];
  return bytes.map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}
