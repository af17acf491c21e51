import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Default } from '../../config/default.js';
import { BffError } from '../../errors/bff-error.js';
import type { Member } from '../../http/end-user.js';
import { readQualities } from '../../http/header-values.js';
import type { RequestContext } from '../../http/request-context.js';
import type { Operation } from '../operation.js';
import type { GraphqlResult, Outcome } from './graphql-result.js';

const BYTES_MAX = 33_554_432;
const ENTRY_OVERHEAD_BYTES = 500;

/**
 * Answers of registered operations with `@cache`, and of no other: as the upstream gave them, for the same operation,
 * variables, hirer, scopes, language and, unless it is shared, user. Answers with errors are not kept.
 */
@Injectable()
export class ResponseCache {
  private readonly kept: LRUCache<string, GraphqlResult>;

  constructor(@Default() now: () => number = () => performance.now()) {
    this.kept = new LRUCache({
      maxSize: BYTES_MAX,
      sizeCalculation: ({ body }) => body.length + ENTRY_OVERHEAD_BYTES,
      perf: { now },
    });
  }

  get(operation: Operation, context: RequestContext): GraphqlResult | undefined {
    return isKept(operation) ? this.kept.get(keyOf(operation, context)) : undefined;
  }

  put(operation: Operation, context: RequestContext, outcome: Outcome): void {
    const cache = operation.registered?.compiled.cache;
    if (!cache || outcome instanceof BffError || outcome.errors || outcome.status !== 200) return;
    const { body } = outcome;
    const kept = { ...outcome, body: Buffer.isBuffer(body) ? ownBytes(body) : body };
    this.kept.set(keyOf(operation, context), kept, { ttl: cache.seconds * 1000 });
  }

  drop(operation: Operation, context: RequestContext): void {
    if (isKept(operation)) this.kept.delete(keyOf(operation, context));
  }
}

function isKept({ registered }: Operation): boolean {
  return registered?.compiled.cache !== undefined;
}

/**
 * A copy in memory of its own. A slice keeps everything in memory that it was cut from, and a small buffer of Node's is a
 * slice of a pool of 8 KiB.
 */
function ownBytes(bytes: Buffer): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}

/** The languages of the interface (Content localisation); any other is answered like the first. */
const LANGUAGES: readonly string[] = ['en', 'id', 'th'];

/** The language that a caller prefers of those that there are, so that its own words cannot fill the cache. */
function languageOf(acceptLanguage: string): string {
  let best = { language: LANGUAGES[0]!, quality: 0 };
  for (const [tag, quality] of readQualities(acceptLanguage)) {
    const language = tag.split('-')[0]!;
    if (quality > best.quality && LANGUAGES.includes(language)) best = { language, quality };
  }
  return best.language;
}

/** In the place of the user's id, for what machines share with each other. */
const MACHINES = 'machines';

/** What reads the same has the same audience: the user alone, or those at the hirer who share it. */
function audienceOf(
  { registered, token }: Operation,
  { hirerId, userId, scopes, isMachine }: Member,
): string[] {
  const sharer = isMachine ? MACHINES : '';
  const reads = token === 'partner' ? [] : scopes; // a browser token reads what its scopes allow
  return [hirerId, registered!.compiled.cache!.shared ? sharer : userId, token, ...reads];
}

function keyOf(operation: Operation, { acceptLanguage = '', member }: RequestContext): string {
  const audience = audienceOf(operation, member!);
  const parts = [...audience, languageOf(acceptLanguage), hash('sha256', operation.bytes, 'base64')];
  return hash('sha256', JSON.stringify(parts), 'base64');
}
