import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Default } from '../../config/default.js';
import type { RequestContext } from '../../http/request-context.js';
import type { Operation } from '../operation.js';
import type { GraphqlResult } from './graphql-result.js';

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
    return this.kept.get(keyOf(operation, context));
  }

  put(operation: Operation, context: RequestContext, answer: GraphqlResult, seconds: number): void {
    if (answer.errors || answer.status !== 200) return;
    const kept = { ...answer, body: ownBytes(answer.body) };
    this.kept.set(keyOf(operation, context), kept, { ttl: seconds * 1000 });
  }
}

/**
 * A copy in memory of its own: a slice keeps everything in memory that it was cut from, and a small buffer of Node's is a
 * slice of a pool of 8 KiB.
 */
function ownBytes(body: Buffer | string): Buffer {
  const own = Buffer.allocUnsafeSlow(Buffer.byteLength(body));
  Buffer.from(body).copy(own);
  return own;
}

/** In the place of the user's id, for what machines share with each other. */
const MACHINES = 'machines';

/** What reads the same has the same audience: the user alone, or those at the hirer who share it. */
function keyOf({ registered, token, bytes }: Operation, context: RequestContext): string {
  const { hirerId, userId, scopes, isMachine } = context.member!;
  const sharer = isMachine ? MACHINES : '';
  const audience = registered!.compiled.cache!.shared ? sharer : userId;
  const reads = token === 'partner' ? [] : scopes; // a browser token reads what its scopes allow
  const { acceptLanguage = '' } = context;
  const parts = [hirerId, audience, token, ...reads, acceptLanguage, hash('sha256', bytes, 'base64')];
  return hash('sha256', JSON.stringify(parts), 'base64');
}
