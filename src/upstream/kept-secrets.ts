import { Transform } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { Secrets, type SecretValues } from '../config/secrets.js';
import { BffError } from '../errors/bff-error.js';

/** Of each kind: the one in hand, and those before it, with which calls may still be under way. */
const KEPT_MAX = 8;
/** A shorter text may stand in an answer by chance. */
const CHARACTERS_MIN = 8;

const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const ZERO = 0x30;
/** The beginnings of the escapes by which JSON can write the characters of a token (RFC 8259 section 7). */
const ESCAPES = [Buffer.from('\\u00'), Buffer.from('\\/')];

/** What it reads of {@link Secrets}. */
interface PartnerSecrets {
  readonly current: Pick<SecretValues, 'PARTNER_CLIENT_SECRET'>;
  onChange(
    name: 'PARTNER_CLIENT_SECRET',
    listener: (values: Pick<SecretValues, 'PARTNER_CLIENT_SECRET'>) => void,
  ): void;
}

/**
 * The secrets that no answer of the upstream may hold, wherever it quotes them: partner tokens and client secrets, the
 * latest eight of each.
 */
@Injectable()
export class KeptSecrets {
  private tokens: readonly string[] = [];
  private clientSecrets: readonly string[] = [];
  private needles: readonly Buffer[] = [];

  constructor(@Inject(Secrets) secrets: PartnerSecrets) {
    secrets.onChange('PARTNER_CLIENT_SECRET', (values) => this.keepClientSecret(values));
    this.keepClientSecret(secrets.current);
  }

  /** Keeps a partner token from now on. Call it before the token is used. */
  keep(token: string): void {
    this.tokens = withLatest(token, this.tokens);
    this.list();
  }

  /** Passes bytes on, and fails before the first byte of a secret that stands in them as it is. */
  guard(): Transform {
    let held: Buffer = Buffer.alloc(0);
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        const bytes = Buffer.concat([held, chunk]);
        if (this.areWrittenIn(bytes)) {
          done(new BffError('upstream_error', { message: 'a file holds a secret of ours' }));
          return;
        }
        const end = Math.max(0, bytes.length - this.longest + 1);
        held = bytes.subarray(end);
        done(null, bytes.subarray(0, end));
      },
      flush: (done) => done(null, held),
    });
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

  private get longest(): number {
    return Math.max(1, ...this.needles.map(({ length }) => length));
  }

  private keepClientSecret({ PARTNER_CLIENT_SECRET }: Pick<SecretValues, 'PARTNER_CLIENT_SECRET'>): void {
    if (PARTNER_CLIENT_SECRET === undefined) return;
    this.clientSecrets = withLatest(PARTNER_CLIENT_SECRET, this.clientSecrets);
    this.list();
  }

  private list(): void {
    const texts = [...this.tokens, ...this.clientSecrets.flatMap((secret) => [...formsOf(secret)])];
    this.needles = texts.filter(({ length }) => length >= CHARACTERS_MIN).map((text) => Buffer.from(text));
  }
}

function withLatest(text: string, before: readonly string[]): readonly string[] {
  return [text, ...before.filter((one) => one !== text)].slice(0, KEPT_MAX);
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
