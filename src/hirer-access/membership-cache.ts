import { LRUCache } from 'lru-cache';
import { SingleFlight } from '../concurrency/single-flight.js';
import type { EndUser } from '../http/end-user.js';
import type { RequestContext } from '../http/request-context.js';
import type { Subscription } from '../storage/database.js';
import type { HirerAccess, Memberships, MembershipSource, SourceUser } from './hirer-access.port.js';
import type { RoleScopes } from './role-scopes.js';

/** How long a list is reused without asking again, whatever it says. */
export const LIST_MS = 30_000;

const LISTS_MAX = 20_000;
/** Of all lists; each takes some hundred bytes. */
const MEMBERSHIPS_MAX = 100_000;
const ALWAYS_LIVE: Subscription = { isLive: true };

/**
 * The memberships of users, from a source, for a short time; concurrent callers share one question. Each change begins an
 * epoch: what was asked before it is neither kept nor shared after it. While changes cannot be received, nothing is
 * kept. The error of a source that fails reaches the caller, and never an old answer.
 */
export class MembershipCache implements HirerAccess {
  private readonly lists: LRUCache<string, Memberships>;
  private readonly questions = new SingleFlight<Memberships>();
  private readonly subscription: Subscription;
  private epoch = 0;

  constructor(
    private readonly source: MembershipSource,
    private readonly roleScopes: RoleScopes,
    /** Milliseconds of a clock that is never set. */
    now: () => number = () => performance.now(),
  ) {
    this.lists = new LRUCache({
      max: LISTS_MAX,
      maxSize: MEMBERSHIPS_MAX,
      sizeCalculation: ({ size }) => Math.max(1, size),
      perf: { now },
      ttlResolution: 0,
    });
    this.subscription = source.watch?.((user) => this.forget(user)) ?? ALWAYS_LIVE;
  }

  list(user: EndUser, context?: RequestContext): Memberships | Promise<Memberships> {
    const { epoch } = this;
    if (!this.subscription.isLive) return this.read(user, context);
    const name = nameOf(user);
    return (
      this.lists.get(name) ?? this.questions.run(`${epoch} ${name}`, () => this.read(user, context, epoch))
    );
  }

  /** Asks the source. @param epoch that in which the answer may be kept */
  private async read(user: EndUser, context?: RequestContext, epoch?: number): Promise<Memberships> {
    const { memberships: stated, maxAgeMs = LIST_MS } = await this.source.read(user, context);
    const memberships = this.roleScopes.membershipsOf(stated);
    const ttl = Math.min(LIST_MS, maxAgeMs);
    if (epoch === this.epoch && ttl > 0) this.lists.set(nameOf(user), memberships, { ttl });
    return memberships;
  }

  private forget(user?: SourceUser): void {
    this.epoch += 1;
    if (user) this.lists.delete(nameOf(user));
    else this.lists.clear();
  }
}

/** No issuer has a space in it: they are a list in the settings. */
function nameOf({ issuer, subject }: SourceUser): string {
  return `${issuer} ${subject}`;
}
