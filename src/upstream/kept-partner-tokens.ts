import { Transform, type Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { BffError } from '../errors/bff-error.js';

/** The one in hand, and those before it, with which calls may still be under way. */
const KEPT_MAX = 8;
/** A shorter text may stand in an answer by chance. */
const CHARACTERS_MIN = 8;
/** How the escapes begin by which JSON can write what a token consists of (RFC 8259 section 7). */
const ESCAPES = ['\\u00', '\\/'];
const [BACKSLASH, LETTER_U, DIGIT_MAX] = [0x5c, 0x75, 0x39] as const;

/** The latest partner tokens: no answer of the upstream may hold one, wherever it quotes it. */
@Injectable()
export class KeptPartnerTokens {
  private tokens: readonly Buffer[] = [];

  /** Keeps a partner token from now on. Call it before the token is used. */
  keep(token: string): void {
    if (token.length < CHARACTERS_MIN) return;
    const bytes = Buffer.from(token);
    this.tokens = [bytes, ...this.tokens.filter((one) => !one.equals(bytes))].slice(0, KEPT_MAX);
  }

  /** True if the bytes hold one, with or without the escapes of JSON. */
  areIn(bytes: Buffer): boolean {
    if (this.areWrittenIn(bytes)) return true;
    return ESCAPES.some((escape) => bytes.includes(escape)) && this.areWrittenIn(unescapeJson(bytes));
  }

  /** True if a header's value holds one, with or without percent-encoding or quoted pairs (RFC 9110 section 5.6.4). */
  areInHeader(value: string): boolean {
    const plain = value
      .replaceAll(/%([\da-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
      .replaceAll('\\', '');
    return [value, plain].some((text) => this.areWrittenIn(Buffer.from(text, 'latin1')));
  }

  /**
   * Passes a body on, and fails before the first byte of a token written in it plainly, or when the body breaks off.
   */
  guard(body: Readable): Readable {
    const longest = Math.max(1, ...this.tokens.map(({ length }) => length));
    let held: Buffer = Buffer.alloc(0);
    const passing = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        const bytes = Buffer.concat([held, chunk]);
        if (this.areWrittenIn(bytes)) {
          done(new BffError('upstream_error', { message: 'a file holds a partner token' }));
          return;
        }
        const end = Math.max(0, bytes.length - longest + 1);
        held = bytes.subarray(end);
        done(null, bytes.subarray(0, end));
      },
      flush: (done) => done(null, held),
    });
    passing.on('error', () => undefined).on('close', () => body.destroy()); // it may fail while nobody reads it yet
    body.on('error', (cause) => passing.destroy(new BffError('upstream_error', { cause })));
    return body.pipe(passing);
  }

  private areWrittenIn(bytes: Buffer): boolean {
    return this.tokens.some((token) => bytes.includes(token));
  }
}

/** The bytes without the escapes of JSON; a control character becomes its letter. A callback for each takes a second. */
function unescapeJson(bytes: Buffer): Buffer {
  const plain = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    let byte = bytes[at]!;
    if (byte === BACKSLASH) {
      byte = bytes[(at += 1)] ?? 0;
      if (byte === LETTER_U) byte = 16 * digitOf(bytes[at + 3]) + digitOf(bytes[(at += 4)]);
    }
    plain[length++] = byte;
  }
  return plain.subarray(0, length);
}

function digitOf(byte = 0): number {
  return (byte & 0xf) + (byte > DIGIT_MAX ? 9 : 0);
}
