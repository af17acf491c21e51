import { LRUCache } from 'lru-cache';
import { cacheBounds } from '../../concurrency/cache-bounds.js';
import { LatestNotes } from '../../concurrency/latest-notes.js';
import { SingleFlight } from '../../concurrency/single-flight.js';
import type { EndUser } from '../../http/end-user.js';
import type { RequestContext } from '../../http/request-context.js';
import type { Subscription } from '../../storage/database.js';
import type { CountedCache, Metrics } from '../../telemetry/metrics.js';
import type { HirerAccess, Membership } from '../hirer-access.js';
import { withoutReservedRole } from './read-membership.js';
import { LISTED_HIRERS_MAX, type ChangedUser, type MembershipSource } from './membership-source.js';

/** How long a membership is reused without asking again. */
export const ALLOW_MS = 30_000;
/** How long its absence is reused. */
export const DENY_MS = 5_000;

/**
 * How many denials of a user in {@link DENY_MS}, together with questions under way, there may be before the source is
 * asked for the user's whole list instead.
 */
export const DENIALS_MAX = 10;

const ANSWERS_MAX = 20_000;
const DENIED_USERS_MAX = 10_000;
const CHANGED_USERS_MAX = 10_000;
const ANSWERS_BYTES_MAX = 33_554_432;
const OVERHEAD_BYTES = 150;
const ALWAYS_LIVE: Subscription = { isLive: () => true };

interface Answer {
  readonly memberships: readonly Membership[];
  /** By the steady clock. */
  readonly until: number;
  /** The number of changes when it was asked for. */
  readonly changes: number;
}

/**
 * Caches the answers of a source for a short time, and shares one question among concurrent callers. A change outdates
 * every answer about its user, those under way included; one that names no user, all answers. While changes cannot be
 * received, nothing is cached. The error of a source that fails reaches the caller, and never an old answer.
 */
export class CachedHirerAccess implements HirerAccess, CountedCache {
  /** By what was asked, user and hirer; the caller's text comes last, so that it makes no key of another kind. */
  private readonly answers = new LRUCache<string, Answer>(
    cacheBounds(
      ANSWERS_MAX,
      ANSWERS_BYTES_MAX,
      ({ memberships }, key) => OVERHEAD_BYTES + 2 * key.length + sizeOf(memberships),
    ),
  );
  private readonly questions = new SingleFlight<readonly Membership[]>();
  /** Denials by user, counted for {@link DENY_MS} from the first. */
  private readonly denials: LRUCache<string, number>;
  /** Questions about a single hirer that wait for the source, by user. */
  private readonly underWay = new Map<string, number>();
  hits = 0;
  misses = 0;
  private readonly subscription: Subscription;
  private changes = 0;
  /** The number of the last change that named no user. */
  private lastOfAll = 0;
  /** The number of the last change of each user. */
  private readonly lastOfUser = new LatestNotes<number>(CHANGED_USERS_MAX);

  constructor(
    private readonly source: MembershipSource,
    metrics: Metrics,
    /** Milliseconds of a clock that is never set. */
    private readonly now: () => number = () => performance.now(),
  ) {
    this.subscription = source.watch?.((user) => this.forget(user)) ?? ALWAYS_LIVE;
    this.denials = new LRUCache({
      ...cacheBounds(DENIED_USERS_MAX),
      ttl: DENY_MS,
      noUpdateTTL: true,
      ttlResolution: 0,
      perf: { now },
    });
    metrics.cache('memberships', this);
  }

  find(
    user: EndUser,
    hirerId: string,
    context?: RequestContext,
  ): Membership | undefined | Promise<Membership | undefined> {
    const name = nameOf(user);
    const asked = (this.denials.get(name) ?? 0) + (this.underWay.get(user.userId) ?? 0);
    if (asked >= DENIALS_MAX) return this.findListed(user, hirerId, context);
    const memberships = this.read(user, hirerId, context);
    return memberships instanceof Promise
      ? memberships.then((known) => this.pick(known, hirerId, name))
      : this.pick(memberships, hirerId, name);
  }

  /** The membership of one hirer; its absence counts as a denial of the user of that name. */
  private pick(memberships: readonly Membership[], hirerId: string, name: string): Membership | undefined {
    for (const membership of memberships) if (membership.hirerId === hirerId) return membership;
    this.denials.set(name, (this.denials.get(name) ?? 0) + 1);
    return undefined;
  }

  list(user: EndUser, context?: RequestContext): readonly Membership[] | Promise<readonly Membership[]> {
    return this.read(user, undefined, context);
  }

  /** Answers in the cache. */
  get size(): number {
    return this.answers.size;
  }

  /** One question for all the hirers that a user probes; the list is only ever used to deny. */
  private async findListed(
    user: EndUser,
    hirerId: string,
    context: RequestContext | undefined,
  ): Promise<Membership | undefined> {
    const key = `listed ${user.userId}`;
    const listed =
      this.known(user, key) ??
      (await this.questions.run(this.questionOf(user, key), () =>
        this.ask(user, undefined, context, key, DENY_MS),
      ));
    const mayBeMember =
      listed.length >= LISTED_HIRERS_MAX || listed.some((membership) => membership.hirerId === hirerId);
    if (!mayBeMember) return undefined;
    return (await this.read(user, hirerId, context)).find((membership) => membership.hirerId === hirerId);
  }

  private forget(user?: ChangedUser): void {
    this.changes += 1;
    if (user) {
      this.lastOfUser.note(nameOf(user), this.changes);
      this.denials.delete(nameOf(user));
    } else {
      this.lastOfAll = this.changes;
      this.answers.clear();
      this.denials.clear();
    }
  }

  /** The number of the last change that may concern the user. */
  private lastChange(user: EndUser): number {
    return Math.max(this.lastOfAll, this.lastOfUser.last(nameOf(user)) ?? 0);
  }

  /** An answer in memory that nothing has outdated. */
  private known(user: EndUser, key: string): readonly Membership[] | undefined {
    const answer = this.answers.get(key);
    const isGood = answer && this.now() < answer.until && answer.changes >= this.lastChange(user);
    return isGood ? answer.memberships : undefined;
  }

  /** The key of a question: one from before a change is not shared after it. */
  private questionOf(user: EndUser, key: string): string {
    return `${this.lastChange(user)} ${key}`;
  }

  private read(
    user: EndUser,
    hirerId: string | undefined,
    context: RequestContext | undefined,
  ): readonly Membership[] | Promise<readonly Membership[]> {
    if (!this.subscription.isLive()) return this.ask(user, hirerId, context);
    const key = hirerId === undefined ? `all ${user.userId}` : `one ${user.userId} ${hirerId}`;
    const known = this.known(user, key);
    if (known) {
      this.hits += 1;
      return known;
    }
    this.misses += 1;
    return this.questions.run(this.questionOf(user, key), () =>
      hirerId === undefined
        ? this.ask(user, hirerId, context, key)
        : this.askCounted(user, hirerId, context, key),
    );
  }

  /** Counts the question while it is under way: its denial is known only afterwards. */
  private async askCounted(
    user: EndUser,
    hirerId: string,
    context: RequestContext | undefined,
    key: string,
  ): Promise<readonly Membership[]> {
    const { underWay } = this;
    const { userId } = user;
    underWay.set(userId, (underWay.get(userId) ?? 0) + 1);
    try {
      return await this.ask(user, hirerId, context, key);
    } finally {
      const left = underWay.get(userId)! - 1;
      if (left > 0) underWay.set(userId, left);
      else underWay.delete(userId);
    }
  }

  /** @param key caches the answer under it, unless something changed meanwhile */
  private async ask(
    user: EndUser,
    hirerId: string | undefined,
    context: RequestContext | undefined,
    key?: string,
    ageMsMax = ALLOW_MS,
  ): Promise<readonly Membership[]> {
    const { changes } = this;
    const { memberships: found, maxAgeMs = Infinity } = await this.source.read(user, hirerId, context);
    const memberships = withoutReservedRole(found);
    const ageMs = Math.min(memberships.length > 0 ? ageMsMax : DENY_MS, maxAgeMs);
    if (key !== undefined && changes >= this.lastChange(user)) {
      this.answers.set(key, { memberships, until: this.now() + ageMs, changes });
    }
    return memberships;
  }
}

/** No issuer has a space in it: they are a list in the settings. */
function nameOf({ issuer, subject }: ChangedUser): string {
  return `${issuer} ${subject}`;
}

/** Bytes in memory, roughly. */
function sizeOf(memberships: readonly Membership[]): number {
  return memberships.reduce(
    (bytes, { hirerId, roles }) =>
      bytes + OVERHEAD_BYTES + 2 * (hirerId.length + roles.reduce((sum, role) => sum + role.length + 8, 0)),
    0,
  );
}
