import { LRUCache } from 'lru-cache';
import type { EndUser } from '../http/end-user.js';
import { BffError } from '../errors/bff-error.js';
import type { CountedCache } from '../telemetry/metrics.js';
import type { Subscription } from '../storage/database.js';
import type { HirerAccess, Membership } from './hirer-access.js';
import type { MembershipSource } from './membership-source.js';

/** How long a membership is believed without asking again. */
export const ALLOW_MS = 30_000;
/** How long its absence is believed. */
export const DENY_MS = 5_000;

/** How many hirers a user may be denied in {@link DENY_MS} before the source is asked for the user's whole list instead. */
export const DENIALS_MAX = 10;
/** A list this long may have been cut off by its source. */
const LIST_ITEMS_MAX = 1_000;

const ANSWERS_MAX = 20_000;
const DENIED_USERS_MAX = 10_000;
const ANSWERS_BYTES_MAX = 33_554_432;
const OVERHEAD_BYTES = 150;
const ALWAYS_LIVE: Subscription = { isLive: () => true };

interface Answer {
  readonly memberships: readonly Membership[];
  /** Epoch milliseconds. */
  readonly until: number;
}

/**
 * Remembers what a source said, for a short while, and asks it once for questions that arrive together. Any change
 * drops everything, and voids the answers that are on their way: changes are rare, and nothing can be overlooked. While
 * changes cannot be heard of, nothing is remembered. A fault of the source is `unavailable`, never an old answer.
 */
export class CachedHirerAccess implements HirerAccess, CountedCache {
  private readonly answers = new LRUCache<string, Answer>({
    max: ANSWERS_MAX,
    maxSize: ANSWERS_BYTES_MAX,
    sizeCalculation: ({ memberships }, key) => OVERHEAD_BYTES + 2 * key.length + sizeOf(memberships),
  });
  private readonly questions = new Map<string, Promise<readonly Membership[]>>();
  /** Denials of each user since the first of the last few seconds. */
  private readonly denials: LRUCache<string, number>;
  hits = 0;
  misses = 0;
  private readonly subscription: Subscription;
  /** Counts changes: an answer belongs to the state before the next one. */
  private epoch = 0;

  constructor(
    private readonly source: MembershipSource,
    private readonly now: () => number = Date.now,
  ) {
    this.subscription = source.watch?.(() => this.forget()) ?? ALWAYS_LIVE;
    this.denials = new LRUCache({
      max: DENIED_USERS_MAX,
      ttl: DENY_MS,
      noUpdateTTL: true,
      ttlResolution: 0,
      perf: { now },
    });
  }

  find(user: EndUser, hirerId: string): Membership | undefined | Promise<Membership | undefined> {
    if ((this.denials.get(user.userId) ?? 0) >= DENIALS_MAX) return this.findListed(user, hirerId);
    const memberships = this.read(user, hirerId);
    const pick = (known: readonly Membership[]): Membership | undefined => {
      const found = known.find((membership) => membership.hirerId === hirerId);
      if (!found) this.denials.set(user.userId, (this.denials.get(user.userId) ?? 0) + 1);
      return found;
    };
    return memberships instanceof Promise ? memberships.then(pick) : pick(memberships);
  }

  list(user: EndUser): readonly Membership[] | Promise<readonly Membership[]> {
    return this.read(user);
  }

  /** Answers that are remembered. */
  get size(): number {
    return this.answers.size;
  }

  /** One question for all hirers that a user tries in vain; the list only ever denies. */
  private async findListed(user: EndUser, hirerId: string): Promise<Membership | undefined> {
    const key = `${user.userId} *`;
    const known = this.answers.get(key);
    const isKnown = known !== undefined && this.now() < known.until;
    const listed = isKnown
      ? known.memberships
      : await (this.questions.get(key) ?? this.askOnce(key, user, undefined, DENY_MS));
    const mayBeMember =
      listed.length >= LIST_ITEMS_MAX || listed.some((membership) => membership.hirerId === hirerId);
    if (!mayBeMember) return undefined;
    return (await this.read(user, hirerId)).find((membership) => membership.hirerId === hirerId);
  }

  private forget(): void {
    this.epoch += 1;
    this.answers.clear();
    this.questions.clear();
    this.denials.clear();
  }

  private read(user: EndUser, hirerId?: string): readonly Membership[] | Promise<readonly Membership[]> {
    if (!this.subscription.isLive()) return this.ask(user, hirerId);
    const key = hirerId === undefined ? user.userId : `${user.userId} ${hirerId}`;
    const known = this.answers.get(key);
    if (known && this.now() < known.until) {
      this.hits += 1;
      return known.memberships;
    }
    this.misses += 1;
    return this.questions.get(key) ?? this.askOnce(key, user, hirerId);
  }

  private askOnce(
    key: string,
    user: EndUser,
    hirerId?: string,
    ageMsMax = ALLOW_MS,
  ): Promise<readonly Membership[]> {
    const question = this.ask(user, hirerId, key, ageMsMax).finally(() => {
      if (this.questions.get(key) === question) this.questions.delete(key);
    });
    this.questions.set(key, question);
    return question;
  }

  /** @param key remembers the answer under it, unless something changed meanwhile */
  private async ask(
    user: EndUser,
    hirerId?: string,
    key?: string,
    ageMsMax = ALLOW_MS,
  ): Promise<readonly Membership[]> {
    const { epoch } = this;
    try {
      const { memberships, maxAgeMs = Infinity } = await this.source.read(user, hirerId);
      const ageMs = Math.min(memberships.length > 0 ? ageMsMax : DENY_MS, maxAgeMs);
      if (key !== undefined && epoch === this.epoch) {
        this.answers.set(key, { memberships, until: this.now() + ageMs });
      }
      return memberships;
    } catch (error) {
      throw new BffError('unavailable', { message: 'memberships cannot be read', cause: error });
    }
  }
}

/** Bytes in memory, roughly. */
function sizeOf(memberships: readonly Membership[]): number {
  return memberships.reduce(
    (bytes, { hirerId, roles }) =>
      bytes + OVERHEAD_BYTES + 2 * (hirerId.length + roles.reduce((sum, role) => sum + role.length + 8, 0)),
    0,
  );
}
