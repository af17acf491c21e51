import { readFileSync } from 'node:fs';

const BYTE_ORDER_MARK = 'begins with a byte order mark; save it as UTF-8 without one';
const UTF_16 = 'is UTF-16; save it as UTF-8';

/**
 * What shows that a text did not arrive as it was meant, or undefined. Never repeats the text.
 * @param hasLines whether it may hold line breaks, and spaces around it
 */
export function textFault(text: string, hasLines = false): string | undefined {
  if (text.startsWith('\ufeff')) return BYTE_ORDER_MARK;
  if (text.includes('\0')) return UTF_16;
  if (text.includes('\ufffd')) return 'is not UTF-8';
  if (/\r\n?$/.test(text)) return 'ends in a carriage return, as Windows lines do; remove it';
  if (isQuoted(text)) return QUOTED;
  if (/^<.*>$/.test(text)) return 'is a placeholder; write your own value';
  if (/(?! )\p{Z}|\p{Cf}/u.test(text)) {
    return 'holds a non-breaking space or an invisible character; remove it';
  }
  if (hasLines) return undefined;
  if (/[\r\n]/.test(text)) return 'holds a line break; remove it';
  return /^\s|\s$/.test(text) ? 'begins or ends with a space; remove it' : undefined;
}

/** The fault of a text that is {@link isQuoted}. */
export const QUOTED = 'is in quotes, which would become part of it; remove them';

/** True if quotes of a shell, or of a word processor, came along with a text. */
export function isQuoted(text: string): boolean {
  return /^(["'`]).*\1$|^[\u2018-\u201f].*[\u2018-\u201f]$/s.test(text);
}

/** The text of a file without the line break at its end; a fault if it, or the path, cannot be meant, or it is empty. */
export function fileText(path: string): { readonly value: string } | { readonly fault: string } {
  const fault = textFault(path);
  if (fault !== undefined) return { fault };
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    return { fault: `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})` };
  }
  if (['feff', 'fffe'].includes(bytes.toString('hex', 0, 2))) return { fault: UTF_16 };
  const value = bytes.toString().replace(/\r?\n$/, '');
  return value === '' ? { fault: 'is empty' } : { value };
}
