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
/** Of `\uXXXX`. */
const ESCAPE_BYTES = 6;
/** How the escapes begin by which JSON can write a text of ASCII (RFC 8259 section 7). */
const ESCAPES = ['\\u00', '\\/'];

/** The part of {@link Secrets} that it reads. */
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

  /** Passes bytes on, and fails before the first byte of a secret that stands in them without escapes of JSON. */
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

  /** True if the body holds one, in any of its forms, with or without the escapes of JSON. */
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
      this.areWrittenIn(Buffer.from(text, 'latin1')),
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

/**
 * A client secret as it stands, as JSON and forms write what is not plain in it, and in Base64, as basic authentication
 * sends it (RFC 6749 section 2.3.1). A token has no such character.
 */
function formsOf(clientSecret: string): ReadonlySet<string> {
  const encoded = [
    encodeURIComponent(clientSecret),
    new URLSearchParams({ '': clientSecret }).toString().slice(1),
  ].flatMap((text) => [text, text.replaceAll(/%../g, (escape) => escape.toLowerCase())]);
  const plain = [clientSecret, ...encoded];
  return new Set([...plain, JSON.stringify(clientSecret).slice(1, -1), ...plain.flatMap(inBase64)]);
}

/** Base64 of a text within a longer one: at each of three places, without the characters that its neighbours share. */
function inBase64(text: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]);
    const [start, end] = [Math.ceil((before * 4) / 3), Math.floor((bytes.length * 4) / 3)];
    return (['base64', 'base64url'] as const).map((encoding) => bytes.toString(encoding).slice(start, end));
  });
}

/** The bytes without the escapes of JSON; a control character becomes its letter. */
function unescapeJson(bytes: Buffer): Buffer {
  const plain = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] !== BACKSLASH) {
      plain[length++] = bytes[at]!;
    } else if (bytes[at + 1] !== LETTER_U) {
      plain[length++] = bytes[(at += 1)] ?? 0;
    } else {
      plain[length++] = Math.min(unitAt(bytes, at), 0xff);
      at += ESCAPE_BYTES - 1;
    }
  }
  return plain.subarray(0, length);
}

/** The UTF-16 unit of an escape. */
function unitAt(bytes: Buffer, at: number): number {
  let unit = 0;
  for (let digit = at + 2; digit < at + ESCAPE_BYTES; digit += 1) unit = 16 * unit + digitOf(bytes[digit]);
  return unit;
}

/** The value of a hexadecimal digit. */
function digitOf(byte = ZERO): number {
  return (byte & 0xf) + (byte > 0x40 ? 9 : 0);
}
