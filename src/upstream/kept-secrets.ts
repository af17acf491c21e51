import { Injectable } from '@nestjs/common';
import { Secrets } from '../config/secrets.js';

/** The partner token in hand, and the one before it, with which calls may still be under way. */
const TOKENS_MAX = 2;
/** A shorter text may stand in an answer by chance. */
const CHARACTERS_MIN = 8;

const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const ZERO = 0x30;
/** The beginnings of the escapes by which JSON can write the characters of a token (RFC 8259 section 7). */
const ESCAPES = [Buffer.from('\\u00'), Buffer.from('\\/')];

/**
 * The secrets that no answer of the upstream may hold, wherever it quotes them: the partner token, the one before it, and
 * the client secret.
 */
@Injectable()
export class KeptSecrets {
  private tokens: readonly string[] = [];
  private needles: readonly Buffer[] = [];

  constructor(private readonly secrets: Secrets) {
    secrets.onChange('PARTNER_CLIENT_SECRET', ({ PARTNER_CLIENT_SECRET }) =>
      this.list(PARTNER_CLIENT_SECRET),
    );
    this.list(secrets.current.PARTNER_CLIENT_SECRET);
  }

  /** Keeps a partner token from now on. Call it before the token is used. */
  keep(token: string): void {
    this.tokens = [token, ...this.tokens.filter((one) => one !== token)].slice(0, TOKENS_MAX);
    this.list(this.secrets.current.PARTNER_CLIENT_SECRET);
  }

  /** True if the body holds one, as it is or in the escapes of JSON. */
  areIn(body: Buffer): boolean {
    if (this.areWrittenIn(body)) return true;
    return ESCAPES.some((escape) => body.includes(escape)) && this.areWrittenIn(unescapeJson(body));
  }

  /** True if a header's value holds one, as it is or in percent-encoding or quoted pairs (RFC 9110 section 5.6.4). */
  areInHeader(value: string): boolean {
    const decoded = value.replaceAll(/%([\da-f]{2})/gi, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    );
    return [value, decoded, decoded.replaceAll('\\', '')].some((text) =>
      this.areWrittenIn(Buffer.from(text)),
    );
  }

  private areWrittenIn(bytes: Buffer): boolean {
    for (const needle of this.needles) if (bytes.includes(needle)) return true;
    return false;
  }

  private list(clientSecret: string | undefined): void {
    const texts = clientSecret === undefined ? this.tokens : [...this.tokens, ...formsOf(clientSecret)];
    this.needles = texts.filter(({ length }) => length >= CHARACTERS_MIN).map((text) => Buffer.from(text));
  }
}

/** A client secret may have characters that JSON always escapes; a token has none. */
function formsOf(clientSecret: string): ReadonlySet<string> {
  return new Set([clientSecret, JSON.stringify(clientSecret).slice(1, -1)]);
}

/** The bytes without the escapes of JSON; what is not ASCII becomes a zero, and a control character its letter. */
function unescapeJson(bytes: Buffer): Buffer {
  const plain = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] !== BACKSLASH) {
      plain[length++] = bytes[at]!;
    } else if (bytes[at + 1] !== LETTER_U) {
      plain[length++] = bytes[(at += 1)] ?? 0;
    } else {
      const isAscii = bytes[at + 2] === ZERO && bytes[at + 3] === ZERO;
      plain[length++] = isAscii ? 16 * digitOf(bytes[at + 4]) + digitOf(bytes[at + 5]) : 0;
      at += 5;
    }
  }
  return plain.subarray(0, length);
}

/** The value of a hexadecimal digit. */
function digitOf(byte = ZERO): number {
  return (byte & 0xf) + (byte > 0x40 ? 9 : 0);
}
