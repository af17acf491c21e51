import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { tupleKey } from '../../token/cache-key.js';
import type { Credential } from './credential.js';
import type { GraphqlResult, Outcome } from './graphql-result.js';
import { BffError } from '../../errors/bff-error.js';
import type { Task } from './task.js';

const BYTES_MAX = 33_554_432;
const ENTRY_OVERHEAD_BYTES = 500;

/**
 * Answers of registered operations with `@cache`: as the upstream gave them, for the same operation, variables, hirer,
 * scopes, language and, unless it is shared, user. Answers with errors are not kept.
 */
export class ResponseCache {
  private readonly kept: LRUCache<string, GraphqlResult>;

  constructor(now: () => number = Date.now) {
    this.kept = new LRUCache({
      maxSize: BYTES_MAX,
      sizeCalculation: ({ body }) => body.length + ENTRY_OVERHEAD_BYTES,
      perf: { now },
    });
  }

  get(task: Task, credential: Credential, language: string | undefined): GraphqlResult | undefined {
    return task.registered?.compiled.cache && this.kept.get(keyOf(task, credential, language));
  }

  put(task: Task, credential: Credential, language: string | undefined, outcome: Outcome): void {
    const cache = task.registered?.compiled.cache;
    if (!cache || outcome instanceof BffError || outcome.hasErrors || outcome.status !== 200) return;
    const kept = { ...outcome, body: ownBytes(outcome.body) };
    this.kept.set(keyOf(task, credential, language), kept, { ttl: cache.seconds * 1000 });
  }
}

/** An answer out of an array is a piece of the whole array, which would stay in memory with it. */
function ownBytes(body: Buffer | string): Buffer | string {
  if (!Buffer.isBuffer(body)) return body;
  const own = Buffer.allocUnsafeSlow(body.length); // of no pool either
  body.copy(own);
  return own;
}

function keyOf(task: Task, credential: Credential, language = ''): string {
  const audience = task.registered?.compiled.cache?.shared ? credential.sharedAudience : credential.audience;
  return hash('sha256', tupleKey([...audience, language, hash('sha256', task.bytes, 'base64')]), 'base64');
}
