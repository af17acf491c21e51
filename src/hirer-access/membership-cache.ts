import { LRUCache } from 'lru-cache';
import { SingleFlight } from '../concurrency/single-flight.js';
import type { EndUser } from '../http/end-user.js';
import type { RequestContext } from '../http/request-context.js';
import type { Subscription } from '../storage/database.js';
import type { HirerAccess, Memberships, MembershipSource, SourceUser } from './hirer-access.port.js';
import type { RoleScopes } from './role-scopes.js';

/** How long a membership is reused without asking again. */
export const ALLOW_MS = 30_000;
/** How long its absence is reused. */
export const DENY_MS = 5_000;

const LISTS_MAX = 20_000;
/** Of all lists; each takes some hundred bytes. */
const MEMBERSHIPS_MAX = 100_000;
const ALWAYS_LIVE: Subscription = { isLive: true };

/** All that is known of a user. Times are of the steady clock. */
interface KnownList {
  readonly memberships: Memberships;
  readonly allowsUntil: number;
  /** Until when it says that there is no membership. */
  readonly deniesUntil: number;
}

/**
 * The memberships of users, from a source, for a short time; concurrent callers share one question. Each change begins an
 * epoch: what was asked before it is neither kept nor shared after it. While changes cannot be received, nothing is
 * kept. The error of a source that fails reaches the caller, and never an old answer.
 */
export class MembershipCache implements HirerAccess {
  private readonly lists = new LRUCache<string, KnownList>({
    max: LISTS_MAX,
    maxSize: MEMBERSHIPS_MAX,
    sizeCalculation: ({ memberships }) => Math.max(1, memberships.size),
  });
  private readonly questions = new SingleFlight<KnownList>();
  private readonly subscription: Subscription;
  private epoch = 0;

  constructor(
    private readonly source: MembershipSource,
    private readonly roleScopes: RoleScopes,
    /** Milliseconds of a clock that is never set. */
    private readonly now: () => number = () => performance.now(),
  ) {
    this.subscription = source.watch?.((user) => this.forget(user)) ?? ALWAYS_LIVE;
  }

  list(user: EndUser, context?: RequestContext, wanted?: string): Memberships | Promise<Memberships> {
    const known = this.lists.get(nameOf(user));
    if (known && this.subscription.isLive && this.now() < endOf(known, wanted)) return known.memberships;
    return this.ask(user, context).then(({ memberships }) => memberships);
  }

  /** Asks the source, or joins those who do. */
  private ask(user: EndUser, context: RequestContext | undefined): Promise<KnownList> {
    if (!this.subscription.isLive) return this.read(user, context);
    const { epoch } = this;
    const name = nameOf(user);
    return this.questions.run(`${epoch} ${name}`, async () => {
      const list = await this.read(user, context);
      if (epoch === this.epoch) this.lists.set(name, list);
      return list;
    });
  }

  private async read(user: EndUser, context: RequestContext | undefined): Promise<KnownList> {
    const { memberships, maxAgeMs = Infinity } = await this.source.read(user, context);
    return {
      memberships: this.roleScopes.membershipsOf(memberships),
      allowsUntil: this.now() + Math.min(ALLOW_MS, maxAgeMs),
      deniesUntil: this.now() + Math.min(DENY_MS, maxAgeMs),
    };
  }

  private forget(user?: SourceUser): void {
    this.epoch += 1;
    if (user) this.lists.delete(nameOf(user));
    else this.lists.clear();
  }
}

/** Until when a list serves, for a hirer or as a whole: that there is no membership is believed for less long. */
function endOf({ memberships, allowsUntil, deniesUntil }: KnownList, wanted: string | undefined): number {
  const isThere = wanted === undefined ? memberships.size > 0 : memberships.has(wanted);
  return isThere ? allowsUntil : deniesUntil;
}

/** No issuer has a space in it: they are a list in the settings. */
function nameOf({ issuer, subject }: SourceUser): string {
  return `${issuer} ${subject}`;
}
