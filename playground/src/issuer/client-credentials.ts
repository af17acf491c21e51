import { timingSafeEqual, createHash } from 'node:crypto';
import { isRecord, json, parseJson, readContentType, type Answer, type Incoming } from '../http/exchange.js';

/**
 * The members of a token request (RFC 6749, 4.4): a JSON or form body; client id and secret may be in a Basic header
 * (2.3.1). Undefined when the body cannot be read.
 */
export function readMembers(incoming: Incoming): Record<string, unknown> | undefined {
  const { mediaType, utf8 } = readContentType(incoming.headers['content-type']);
  if (!utf8) return undefined;
  switch (mediaType) {
    case 'application/json': {
      const value = parseJson(incoming.body)?.value;
      return isRecord(value) ? value : undefined;
    }
    case 'application/x-www-form-urlencoded': {
      const form = new URLSearchParams(incoming.body.toString('utf8'));
      return { ...Object.fromEntries(form), ...readBasic(incoming.headers.authorization) };
    }
    default:
      return undefined;
  }
}

function readBasic(authorization: string | undefined): Record<string, string> {
  const encoded = /^basic +(.+)$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return {};
  // An id has no colon; a secret may (RFC 7617, 2).
  const [, id = '', secret = ''] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  return { client_id: decodeFormValue(id), client_secret: decodeFormValue(secret) };
}

function decodeFormValue(text: string): string {
  return new URLSearchParams(`v=${text}`).get('v') ?? '';
}

/** True if two texts are the same, in a time that does not tell where they differ. */
export function isSame(given: unknown, expected: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(String(given)), hash(expected));
}

/** The error answer of a token endpoint (RFC 6749, 5.2). */
export function refuse(
  status: number,
  error: string,
  description: string,
  headers: Answer['headers'] = {},
): Answer {
  return json(status, { error, error_description: description }, headers);
}
