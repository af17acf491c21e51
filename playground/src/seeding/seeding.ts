import { Ajv } from 'ajv';
import type { Hirer } from '../data/hirers.js';
import { addHirer, HIRER_MEMBERS, type HirerWish } from '../data/make-hirer.js';
import { SeededRandom } from '../data/random.js';
import type { World } from '../data/world.js';
import type { GrowingDemo } from '../demo.js';
import type { AdLifecycle } from '../happenings/ad-lifecycle.js';
import { Applications, APPLICATION_MEMBERS, type ApplicationWish } from '../happenings/applications.js';
import type { EventFeed } from '../happenings/event-feed.js';
import { NAME, sentenceOf, TEXT, TEXTS, type Body } from '../http/body-schemas.js';

/** A fault in something to seed: the message says what is wrong and what to do. */
export class SeedError extends RangeError {
  constructor(method: string, what: string) {
    super(`seed.${method}: ${what}`);
  }
}

const ajv = new Ajv({ verbose: true });

/** A check of wishes by the schemas of their members: tests in JavaScript have no compiler that finds a misspelt one. */
function checkOf(method: string, properties: object, required: readonly string[]) {
  const check = ajv.compile({ type: 'object', additionalProperties: false, required, properties });
  return (wish: object): void => {
    if (!check(wish)) throw new SeedError(method, sentenceOf(check.errors!).message);
  };
}

/** An end user to seed. */
export interface UserWish {
  /** The `sub` of its tokens. */
  readonly subject: string;
  /** The subject by default. */
  readonly name?: string;
  /** The hirers it belongs to, by `hirerId`; with the role `member` unless roles are named. */
  readonly hirers: readonly (string | { readonly hirerId: string; readonly roles: readonly string[] })[];
}

const ROLES = { type: 'object', required: ['hirerId', 'roles'], properties: { hirerId: TEXT, roles: TEXTS } };
const USER_MEMBERS = {
  subject: NAME,
  name: NAME,
  hirers: { type: 'array', items: { anyOf: [TEXT, ROLES] } },
};

/** What an ad to seed says; its title is made up by default. */
const AD_MEMBERS = { hirerId: TEXT, title: NAME };
/** An ad to seed: posted now, live for 30 days, with a questionnaire and a branding of the hirer. */
export type AdWish = Body<typeof AD_MEMBERS, 'hirerId'>;

const checkHirer = checkOf('hirer', HIRER_MEMBERS, ['name']);
const checkUser = checkOf('user', USER_MEMBERS, ['subject', 'hirers']);
const checkAd = checkOf('ad', AD_MEMBERS, ['hirerId']);
const checkApplication = checkOf('application', APPLICATION_MEMBERS, ['positionProfileId']);

/** The parts of a playground that seeding works on. */
interface SeedingParts {
  readonly world: () => World;
  readonly demo: GrowingDemo;
  readonly ads: AdLifecycle;
  readonly feed: EventFeed;
  readonly now: () => number;
}

/**
 * Adds objects to the world of a playground, for tests. They exist at once, as if they always had: no event
 * reports them, and no webhook is sent. The same calls in the same order give the same identifiers.
 *
 * Every method returns the identifiers that the upstream gives. It throws a {@link SeedError}, which says what to do, and
 * then has added nothing.
 */
export class Seeding {
  private readonly random: SeededRandom;
  private readonly applications: Applications;

  constructor(
    private readonly parts: SeedingParts,
    seed: string,
  ) {
    this.random = new SeededRandom(`${seed}:seeded`);
    this.applications = new Applications(parts.world, parts.feed, parts.now, `${seed}:seeded`);
  }

  /** A hirer with brandings and questionnaires, and without ads. */
  hirer(wish: HirerWish) {
    checkHirer(wish);
    const world = this.parts.world();
    const { id: hirerId, name } = addHirer(world, this.random, wish);
    this.parts.demo.hirers.push({ hirerId, name });
    const brandingIds = idsOf(world.brandings, hirerId);
    return { hirerId, name, brandingIds, questionnaireIds: idsOf(world.questionnaires, hirerId) };
  }

  /** An end user of the identity provider, with memberships that the service should get. */
  user(wish: UserWish) {
    checkUser(wish);
    const { subject, name = subject, hirers } = wish;
    const { users, memberships } = this.parts.demo;
    if (users.some((user) => user.subject === subject)) {
      throw new SeedError('user', `the subject ${subject} is taken; choose another.`);
    }
    const own = hirers.map((hirer) => this.membershipOf(hirer));
    users.push({ subject, name, about: 'Seeded.' });
    memberships.push(...own.map((membership) => ({ subject, ...membership })));
    return { subject, name, memberships: own };
  }

  /** An ad that candidates can apply for on the job board. */
  ad(wish: AdWish) {
    checkAd(wish);
    const hirer = this.requireHirer('ad', wish.hirerId);
    const { ads, now } = this.parts;
    // A named suffix makes an ad that is open, asks questions and has a branding.
    const plan = { postedMs: now(), suffix: this.random.suffix(9), title: wish.title };
    const { id, openingId, ad } = ads.publish(ads.make(hirer, this.random, plan));
    const { questionnaireId } = ad;
    return { hirerId: hirer.id, positionProfileId: id, positionOpeningId: openingId, questionnaireId };
  }

  /** An application for an ad that is live, by a new candidate or one whom the hirer knows. */
  application(wish: ApplicationWish) {
    checkApplication(wish);
    if (!this.parts.world().positionProfiles.has(wish.positionProfileId)) {
      throw new SeedError('application', 'positionProfileId names no ad; seed one with seed.ad().');
    }
    try {
      const { id, hirerId, candidateId, attachmentIds } = this.applications.add(wish);
      return { hirerId, candidateApplicationProfileId: id, candidateId, attachmentIds };
    } catch (error) {
      throw error instanceof RangeError ? new SeedError('application', error.message) : error;
    }
  }

  private membershipOf(hirer: UserWish['hirers'][number]): { hirerId: string; roles: string[] } {
    const { hirerId, roles } = typeof hirer === 'string' ? { hirerId: hirer, roles: ['member'] } : hirer;
    return { hirerId: this.requireHirer('user', hirerId).id, roles: [...roles] };
  }

  private requireHirer(method: string, hirerId: string): Hirer {
    const hirer = this.parts.world().hirers.get(hirerId);
    if (hirer !== undefined) return hirer;
    const names = this.parts.demo.hirers.map((known) => known.hirerId).join(', ');
    throw new SeedError(
      method,
      `there is no hirer ${hirerId}; seed one with seed.hirer(), or take one of ${names}.`,
    );
  }
}

function idsOf(
  records: ReadonlyMap<string, { readonly id: string; readonly hirerId: string }>,
  hirerId: string,
): string[] {
  return [...records.values()].filter((record) => record.hirerId === hirerId).map(({ id }) => id);
}
