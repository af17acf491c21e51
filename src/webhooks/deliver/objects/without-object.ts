/** Above it, no word of an answer is kept: looking for each would hold the event loop. */
const OBJECT_CHARACTERS_MAX = 200_000;
const ANSWER_CHARACTERS_MAX = 250;
/** However short: a name may be one character, and a telephone number is often written in pairs. */
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const ASCII = /^[A-Za-z0-9]+$/;

/**
 * How the answer of a target begins, without the words that stand in the object which went along: an answer may repeat
 * what it is an answer to, and nothing of the object is stored. Words that are not of ASCII are left out too: scripts without
 * spaces do not show where one ends, and letters with marks have several forms. Part of a word, where the answer is cut,
 * stands in the object like the whole.
 */
export function withoutObject(answer: string, object: string | undefined): string {
  if (object === undefined) return answer;
  if (object.length > OBJECT_CHARACTERS_MAX) return '';
  const known = decodeEscapes(object).toLowerCase();
  const start = decodeEscapes(answer).slice(0, ANSWER_CHARACTERS_MAX);
  return start.replaceAll(WORD, (word) =>
    ASCII.test(word) && !known.includes(word.toLowerCase()) ? word : '…',
  );
}

/** Letters in place of their escapes in JSON, and spaces in place of other escapes, whose letters would join a word. */
function decodeEscapes(text: string): string {
  return text
    .replaceAll(/\\u([\da-f]{4})/gi, (_escape, code: string) => String.fromCharCode(parseInt(code, 16)))
    .replaceAll(/\\[bfnrt]|%[\da-f]{2}/gi, ' ');
}
