import { UserIds } from '../../../src/auth/user-ids.js';
import { SeededRandom } from '../../../playground/src/data/random.js';

/** `END_USER_ISSUER` of the drill. */
export const ISSUER = 'https://idp.drill.test';

/** Scopes of each role, sorted. `stray` is not in `ROLE_SCOPES`, and so has none. */
const SCOPES_OF_ROLE: Readonly<Record<string, readonly string[]>> = {
  recruiter: ['query:ad-products', 'query:ontologies', 'query:organizations'],
  viewer: ['query:ontologies'],
  billing: ['query:ad-products', 'query:organizations'],
  guest: [],
  stray: [],
  machine: ['query:organizations'],
};

/** Those that a user can be given. */
export const ROLES = Object.keys(SCOPES_OF_ROLE).filter((role) => role !== 'machine');
export const SCOPES = SCOPES_OF_ROLE['recruiter']!;

/** The setting that gives the roles these scopes. */
export const ROLE_SCOPES = Object.keys(SCOPES_OF_ROLE)
  .filter((role) => role !== 'stray')
  .map((role) => `${role}=${SCOPES_OF_ROLE[role]!.join(' ')}`)
  .join('; ');

/** The scopes that the roles have together, sorted. */
export function scopesOf(roles: readonly string[]): readonly string[] {
  return SCOPES.filter((scope) => roles.some((role) => SCOPES_OF_ROLE[role]!.includes(scope)));
}

const hasScope = (roles: readonly string[]): boolean => scopesOf(roles).length > 0;

/** The registered operations that go upstream with the partner token, and the roles that may call them. */
export const ROLES_OF_OPERATION: Readonly<Record<string, (roles: readonly string[]) => boolean>> = {
  HirerObjects: hasScope,
  RestrictedObjects: (roles) => roles.includes('recruiter') || roles.includes('guest'),
  ObjectDetails: hasScope,
  ObjectOwner: hasScope,
  EventObject: (roles) => roles.includes('machine'),
  ChangeObject: hasScope,
};

export interface User {
  readonly subject: string;
  /** The pseudonym that the upstream sees. */
  readonly userId: string;
  /** A back end of the partner's own: of every hirer, with the role `machine`. */
  readonly isMachine?: true;
}

export interface Hirer {
  readonly hirerId: string;
  readonly name: string;
  readonly marker: string;
  readonly objects: readonly DrillObject[];
}

export interface DrillObject {
  readonly id: string;
  readonly marker: string;
  readonly hirer: Hirer;
}

/** The readers of a marker: members of the hirer, or one of them only. */
export interface Owner {
  readonly hirer: Hirer;
  readonly user?: User;
}

const [USERS, MACHINES, HIRERS] = [50, 2, 20];

/** `MACHINE_SUBJECTS` of the drill. */
export const MACHINE_SUBJECTS = numbered(MACHINES, machineSubject).join();

const OBJECTS_OF_HIRER = 4;
const MARKER = /mk:[1-9A-HJ-NP-Za-km-z]{22}/g;

/**
 * Users, hirers and the objects of each hirer. Every text that belongs to a hirer, or to a user at a hirer, is a marker
 * that nobody can guess, so that any answer can be searched for what does not belong in it. Hirer ids and subjects are
 * prefixes of each other, as a careless key would need them.
 */
export class World {
  readonly users: readonly User[];
  readonly machines: readonly User[];
  readonly hirers: readonly Hirer[];
  private readonly owners = new Map<string, Owner>();
  private readonly objects = new Map<unknown, DrillObject>();
  private readonly callers: readonly User[];
  private readonly userMarkers = new Map<string, string>();
  private readonly random: SeededRandom;

  constructor(seed: string, userIdKey: string) {
    this.random = new SeededRandom(`${seed} world`);
    const userIds = new UserIds({ USER_ID_KEY: [userIdKey] });
    this.users = numbered(USERS, (number) => {
      const subject = `user-${number}`;
      return { subject, userId: userIds.of(ISSUER, subject) };
    });
    this.machines = numbered(MACHINES, (number) => {
      const subject = machineSubject(number);
      return { subject, userId: userIds.of(ISSUER, subject), isMachine: true };
    });
    this.callers = [...this.users, ...this.machines];
    this.hirers = numbered(HIRERS, (number) => this.makeHirer(`drill:organization:test:${number}`));
    for (const hirer of this.hirers) {
      for (const user of this.callers) {
        this.userMarkers.set(`${user.userId} ${hirer.hirerId}`, this.mark({ hirer, user }));
      }
    }
  }

  user(userId: string): User | undefined {
    return this.callers.find((user) => user.userId === userId);
  }

  hirer(hirerId: string): Hirer | undefined {
    return this.hirers.find((hirer) => hirer.hirerId === hirerId);
  }

  object(id: unknown): DrillObject | undefined {
    return this.objects.get(id);
  }

  userMarker({ userId }: User, { hirerId }: Hirer): string {
    return this.userMarkers.get(`${userId} ${hirerId}`)!;
  }

  /** The first marker in a text that a user at a hirer must not see. */
  findForeign(text: string, user: User, hirer: Hirer): string | undefined {
    return text.match(MARKER)?.find((marker) => {
      const owner = this.owners.get(marker);
      return owner?.hirer !== hirer || (owner.user !== undefined && owner.user !== user);
    });
  }

  private makeHirer(hirerId: string): Hirer {
    const objects: DrillObject[] = [];
    const hirer = { hirerId, name: '', marker: '', objects };
    hirer.name = this.mark({ hirer });
    hirer.marker = this.mark({ hirer });
    for (let count = 0; count < OBJECTS_OF_HIRER; count += 1) {
      const object = { id: `object-${this.random.suffix(8)}`, marker: this.mark({ hirer }), hirer };
      objects.push(object);
      this.objects.set(object.id, object);
    }
    return hirer;
  }

  private mark(owner: Owner): string {
    const marker = `mk:${this.random.suffix(22)}`;
    this.owners.set(marker, owner);
    return marker;
  }
}

/** Begins as that of a user. */
function machineSubject(number: number): string {
  return `user-${number}-machine`;
}

function numbered<T>(count: number, make: (number: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index + 1));
}
