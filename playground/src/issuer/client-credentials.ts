import { timingSafeEqual, createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isRecord, parseJson, readContentType } from '../http/route.js';

/**
 * The members of a token request (RFC 6749, 4.4): a JSON or form body; client id and secret may be in a Basic header
 * (2.3.1). Undefined when the body cannot be read.
 */
export function readMembers({ headers, body }: FastifyRequest): Record<string, unknown> | undefined {
  const { mediaType, utf8 } = readContentType(headers['content-type']);
  if (!utf8 || !Buffer.isBuffer(body)) return undefined;
  switch (mediaType) {
    case 'application/json': {
      const value = parseJson(body)?.value;
      return isRecord(value) ? value : undefined;
    }
    case 'application/x-www-form-urlencoded': {
      const form = new URLSearchParams(body.toString('utf8'));
      return { ...Object.fromEntries(form), ...readBasic(headers.authorization) };
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

/** Why a token request is refused: its status, and the members of the answer (RFC 6749, 5.2). */
export type TokenRefusal = readonly [status: number, error: string, description: string];

/** Sends a refusal. */
export function refuse(reply: FastifyReply, [status, error, description]: TokenRefusal): FastifyReply {
  return reply.code(status).send({ error, error_description: description });
}
