import type { RouteName } from '../http/exchange.js';

/** A token bucket: a burst of calls, refilled at a steady rate (interface 12). */
export interface BucketRule {
  readonly bucketSize: number;
  readonly refillTokens: number;
  readonly refillPeriodSeconds: number;
}

interface Bucket {
  level: number;
  filledAtMs: number;
}

/** The rule that counts together: every root field of `/graphql`, and every call of the other routes. */
const EVERYTHING = '*';

/**
 * Rate limits by target: a root field such as `Query.self`, or a route such as `attachments`; `*` counts everything
 * together. None at start. Each caller has its own buckets.
 */
export class RateLimits {
  private rules: Readonly<Record<string, BucketRule>> = {};
  private readonly buckets = new Map<string, Bucket>();

  constructor(private readonly now: () => number) {}

  /** Replaces all rules and fills every bucket. */
  set(rules: Readonly<Record<string, BucketRule>>): void {
    this.rules = rules;
    this.buckets.clear();
  }

  get current(): Readonly<Record<string, BucketRule>> {
    return this.rules;
  }

  /** Takes one call of a route out of its buckets; seconds to wait when one of them is empty, else undefined. */
  takeCall(route: RouteName, caller: string): number | undefined {
    return this.take(route === 'graphql' ? [route] : [route, EVERYTHING], caller);
  }

  /** The same for one root field of a GraphQL operation. */
  takeField(coordinate: string, caller: string): number | undefined {
    return this.take([coordinate, EVERYTHING], caller);
  }

  private take(names: readonly string[], caller: string): number | undefined {
    for (const name of names) {
      const rule = this.rules[name];
      const waitSeconds = rule === undefined ? undefined : this.takeFrom(`${name} ${caller}`, rule);
      if (waitSeconds !== undefined) return waitSeconds;
    }
    return undefined;
  }

  private takeFrom(key: string, rule: BucketRule): number | undefined {
    const nowMs = this.now();
    const bucket = this.buckets.get(key) ?? { level: rule.bucketSize, filledAtMs: nowMs };
    const perMs = rule.refillTokens / (rule.refillPeriodSeconds * 1000);
    bucket.level = Math.min(rule.bucketSize, bucket.level + (nowMs - bucket.filledAtMs) * perMs);
    bucket.filledAtMs = nowMs;
    this.buckets.set(key, bucket);
    if (bucket.level < 1) return Math.max(1, Math.ceil((1 - bucket.level) / perMs / 1000));
    bucket.level--;
    return undefined;
  }
}
