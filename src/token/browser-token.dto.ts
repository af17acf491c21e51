import { IsString, Matches, MaxLength } from 'class-validator';
import { LRUCache } from 'lru-cache';
import { Is, validate } from '../errors/validate.js';
import { isHirerId } from '../hirer-access/membership.js';
import { parseJsonObject } from '../json/parse-json-object.js';

const SCOPE_CHARACTERS_MAX = 512;
/** One to ten scope tokens (RFC 6749 section 3.3), separated by spaces. */
const SCOPE_LIST = /^ *[\x21\x23-\x5b\x5d-\x7e]+( +[\x21\x23-\x5b\x5d-\x7e]+){0,9} *$/;

class TokenRequestDto {
  @Is(isHirerId, 'must be a hirer object identifier of 1 to 255 bytes')
  hirerId!: string;

  @IsString({ message: 'must be a string' })
  @MaxLength(SCOPE_CHARACTERS_MAX, { message: `must be at most ${SCOPE_CHARACTERS_MAX} characters` })
  @Matches(SCOPE_LIST, { message: 'must be 1 to 10 scope names separated by spaces' })
  scope!: string;
}

/** A valid body of `POST /auth/token`. */
export interface TokenRequest {
  readonly hirerId: string;
  /** Sorted, without repetition. */
  readonly scopes: readonly string[];
}

const REMEMBERED_MAX = 1_000;
const REMEMBERED_BYTES_MAX = 1_024;
const remembered = new LRUCache<string, TokenRequest>({ max: REMEMBERED_MAX });

/**
 * Reads the body of `POST /auth/token`: its form alone, not which scopes the user may have. Results are remembered by
 * the bytes, because validation by decorators costs more than the rest of a cached answer (ADR 0005).
 * @throws BffError `invalid_request` with every fault at once
 */
export function readTokenRequest(body: unknown): TokenRequest {
  if (!Buffer.isBuffer(body) || body.length > REMEMBERED_BYTES_MAX) return parseTokenRequest(body);
  const bytes = body.toString('latin1');
  let request = remembered.get(bytes);
  if (!request) {
    request = parseTokenRequest(body);
    remembered.set(bytes, request);
  }
  return request;
}

function parseTokenRequest(body: unknown): TokenRequest {
  const { hirerId, scope } = validate(TokenRequestDto, parseJsonObject(body));
  return { hirerId, scopes: [...new Set(scope.split(' ').filter((name) => name !== ''))].sort() };
}
