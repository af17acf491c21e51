import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { calls } from './call-judge.js';
import type { Actor, DrillContext } from './context.js';
import { ROLES_OF_OPERATION, scopesOf, type DrillObject, type User, type Hirer } from './world.js';

/** One GraphQL request of the drill, and what its answer must be. */
export interface Item {
  readonly name: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly announces: readonly string[];
  /** True if the object that is asked for belongs to the hirer. */
  readonly owned: boolean;
  readonly rolesFit: (roles: readonly string[]) => boolean;
  /** Response key of the root field. */
  readonly root: string;
  /** The members that its value must have; for a list, each element. */
  readonly expected: Readonly<Record<string, unknown>>;
  readonly object?: DrillObject;
}

const MINE = 'mine(nonce: $nonce) { nonce hirerId marker userMarker scopes language }';
const OBJECT = 'object(id: $id, nonce: $nonce) { id nonce marker title hirer { id { value } } }';
const TEXTS: Readonly<Record<string, string>> = {
  Mine: `query Mine($nonce: String) { ${MINE} }`,
  Touch: `mutation Touch($nonce: String) { ${MINE} }`,
  FreeObject: `query FreeObject($id: String!, $nonce: String) { ${OBJECT} }`,
};
const FILES: Readonly<Record<string, string>> = {
  HirerObjects: 'hirer-objects',
  RestrictedObjects: 'restricted-objects',
  ObjectDetails: 'object-details',
  ChangeObject: 'change-object',
  OwnSummary: 'own-summary',
  SharedSummary: 'shared-summary',
};
const HASHES = new Map<string, string>();

const hasScope = (roles: readonly string[]): boolean => scopesOf(roles).length > 0;

/** An item of any kind. Without a nonce it is the same for all, and its answer may be shared and cached, if at all. */
export function makeItem(context: DrillContext, actor: Actor, place: number, language: string): Item {
  const { random, step } = actor;
  const tag = `${step}.${place}`;
  const nonce = random.chance(0.4) ? undefined : tag;
  return random.pick(MAKERS)(context, actor, nonce, language, tag);
}

/** A query that is the same for every user, but for what the service makes of it. */
export function makeSharedItem(context: DrillContext, actor: Actor, language: string): Item {
  return actor.random.pick(SHARED_MAKERS)(context, actor, undefined, language, '');
}

type Maker = (
  context: DrillContext,
  actor: Actor,
  nonce: string | undefined,
  language: string,
  tag: string,
) => Item;

const mine: Maker = (context, actor, nonce, language) => ofUser('Mine', context, actor, nonce, language);

const touch: Maker = (context, actor, _nonce, language, tag) =>
  ofUser('Touch', context, actor, tag, language);

function ofUser(
  name: 'Mine' | 'Touch',
  { world }: DrillContext,
  { user, hirer }: Actor,
  nonce: string | undefined,
  language: string,
): Item {
  return {
    name,
    body: text(name, { nonce }),
    announces: freeCalls(user, [calls.mint(user, hirer), calls.browser(user, hirer, name, nonce)]),
    owned: !user.isMachine,
    rolesFit: hasScope,
    root: 'mine',
    expected: {
      nonce: nonce ?? null,
      hirerId: hirer.hirerId,
      marker: hirer.marker,
      userMarker: world.userMarker(user, hirer),
      language,
    },
  };
}

/** The calls of a text of the caller's own, which a machine has none of. */
function freeCalls({ isMachine }: User, announces: readonly string[]): readonly string[] {
  return isMachine ? [] : announces;
}

const summary: Maker = ({ world }, { user, hirer, random }, nonce, language) => {
  const name = random.pick(['OwnSummary', 'SharedSummary']);
  return {
    name,
    body: registered(name, { nonce }, random.next()),
    announces: [calls.mint(user, hirer), calls.browser(user, hirer, name, nonce)],
    owned: true,
    rolesFit: hasScope,
    root: 'mine',
    expected: {
      nonce: nonce ?? null,
      hirerId: hirer.hirerId,
      marker: hirer.marker,
      language,
      ...(name === 'OwnSummary' && { userMarker: world.userMarker(user, hirer) }),
    },
  };
};

const freeObject: Maker = (context, actor, nonce) => {
  const { user, hirer } = actor;
  const object = anyObject(context, actor);
  return {
    name: 'FreeObject',
    body: text('FreeObject', { id: object.id, nonce }),
    announces: freeCalls(user, [calls.mint(user, hirer), calls.browser(user, hirer, 'FreeObject', nonce)]),
    owned: object.hirer === hirer && !user.isMachine,
    rolesFit: hasScope,
    root: 'object',
    expected: { id: object.id, nonce: nonce ?? null, marker: object.marker },
  };
};

const objects: Maker = ({ world }, { hirer, random }, nonce) => {
  const name = random.pick(['HirerObjects', 'HirerObjects', 'RestrictedObjects']);
  const named = random.pick([null, null, hirer.hirerId, random.pick(world.hirers).hirerId]) ?? undefined;
  const owned = named === undefined || named === hirer.hirerId;
  return {
    name,
    body: registered(name, { hirerId: named, nonce }, random.next()),
    announces: owned ? [calls.partner(name, hirer.hirerId, nonce)] : [],
    owned,
    rolesFit: ROLES_OF_OPERATION[name]!,
    root: 'objects',
    expected: { nonce: nonce ?? null },
  };
};

const details: Maker = (context, actor, _nonce, _language, tag) => {
  const object = anyObject(context, actor);
  const name = 'ObjectDetails';
  return {
    name,
    body: registered(name, { id: object.id, nonce: tag }, actor.random.next()),
    announces: [calls.partner(name, object.id, tag)],
    owned: object.hirer === actor.hirer,
    rolesFit: ROLES_OF_OPERATION[name]!,
    root: 'object',
    expected: { id: object.id, nonce: tag, marker: object.marker },
    object,
  };
};

const change: Maker = (context, actor, _nonce, _language, tag) => {
  const object = anyObject(context, actor);
  const name = 'ChangeObject';
  const owned = object.hirer === actor.hirer;
  const guard = calls.partner('ObjectOwner', object.id, undefined);
  return {
    name,
    body: registered(name, { input: { id: object.id, nonce: tag } }, actor.random.next()),
    announces: owned ? [guard, calls.partner(name, object.id, tag)] : [guard],
    owned,
    rolesFit: ROLES_OF_OPERATION[name]!,
    root: 'changeObject',
    expected: { id: object.id, nonce: tag, marker: object.marker },
  };
};

/** Requests that must never go upstream. */
const unknown: Maker = (_context, { random }) => ({
  name: 'unknown',
  body: random.pick([
    { documentId: 'NoSuchOperation' },
    { documentId: 'HirerObjects', query: TEXTS['Mine'] },
    { query: 'query Broken {' },
    { documentId: 'HirerObjects', variables: { stranger: true } },
  ]),
  announces: [],
  owned: false,
  rolesFit: () => false,
  root: 'mine',
  expected: {},
});

const SHARED_MAKERS: readonly Maker[] = [mine, summary, freeObject, objects];
const MAKERS: readonly Maker[] = [
  mine,
  touch,
  summary,
  summary,
  freeObject,
  objects,
  objects,
  details,
  details,
  change,
  unknown,
];

function anyObject({ world }: DrillContext, { hirer, random }: Actor): DrillObject {
  const owner = random.chance(0.75) ? hirer : random.pick(world.hirers);
  return random.pick(owner.objects);
}

function text(name: string, variables: Record<string, unknown>): Item['body'] {
  return { query: TEXTS[name], operationName: name, variables };
}

/** A call by name, by the hash of the file, or in the form of Apollo's persisted queries. */
function registered(name: string, variables: Record<string, unknown>, dice: number): Item['body'] {
  if (dice < 0.6) return { documentId: name, variables };
  const hash = hashOf(name);
  if (dice < 0.8) return { documentId: `sha256:${hash}`, variables };
  return { extensions: { persistedQuery: { version: 1, sha256Hash: hash } }, variables };
}

function hashOf(name: string): string {
  const known = HASHES.get(name);
  if (known !== undefined) return known;
  const file = join('test', 'drills', 'isolation', 'operations', `${FILES[name]}.graphql`);
  const hash = createHash('sha256').update(readFileSync(file)).digest('hex');
  HASHES.set(name, hash);
  return hash;
}

/** Milliseconds since the epoch, with fractions. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}

/** From when to when something happened, in milliseconds. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The truth of a statement over a span: at every moment, at some, or at none. */
export type Verdict = 'always' | 'sometimes' | 'never';

/** The conjunction of several. */
export function all(...verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes('never')) return 'never';
  return verdicts.every((verdict) => verdict === 'always') ? 'always' : 'sometimes';
}

/** The truth of a statement that holds until a moment not exactly known. */
export function untilSome(earliest: number, latest: number, { start, end }: Span): Verdict {
  if (end < earliest) return 'always';
  return start > latest ? 'never' : 'sometimes';
}

/** A membership as it may be in force: roles, or undefined for none. */
interface State {
  readonly roles: readonly string[] | undefined;
  /** The earliest moment: when the change was asked for. */
  readonly from: number;
  /** The latest: when the next change was acknowledged, and the bound has gone by. */
  until: number;
}

const STATES_MAX = 30;
const MACHINE_ROLES = ['machine'];

/**
 * The model: who may see what when. A change may be in force from the moment it is asked for, and must be once it is
 * acknowledged and `boundMs` has gone by; in between, either state is right. Changes of one membership come one after
 * the other, those of different ones at the same time.
 */
export class Memberships {
  private readonly histories = new Map<string, State[]>();

  /** @param boundMs how long a replica may lag behind; 0 for one alone */
  constructor(private readonly boundMs: number) {}

  /**
   * A change begins.
   * @returns to be called when it is acknowledged; a change that fails is never acknowledged, and may be in force
   */
  change(user: User, hirer: Hirer, roles: readonly string[] | undefined): () => void {
    const key = keyOf(user, hirer);
    const known = this.histories.get(key) ?? [{ roles: undefined, from: 0, until: Infinity }];
    const state: State = { roles, from: now(), until: Infinity };
    const states = [...known.slice(-STATES_MAX), state];
    this.histories.set(key, states);
    return () => {
      const until = now() + this.boundMs;
      for (const earlier of states) if (earlier !== state) earlier.until = Math.min(earlier.until, until);
    };
  }

  /** The roles that may be in force in the span; undefined stands for no membership. */
  possible(user: User, hirer: Hirer, { start, end }: Span): readonly (readonly string[] | undefined)[] {
    if (user.isMachine) return [MACHINE_ROLES]; // whatever the store says
    const states = this.histories.get(keyOf(user, hirer)) ?? [];
    const met = states.filter(({ from, until }) => from <= end && until >= start);
    return met.length > 0 ? met.map(({ roles }) => roles) : [undefined];
  }

  /** The truth of the user being a member with roles that fit. */
  judge(user: User, hirer: Hirer, span: Span, fits: (roles: readonly string[]) => boolean): Verdict {
    const answers = this.possible(user, hirer, span).map((roles) => roles !== undefined && fits(roles));
    if (answers.every((answer) => answer)) return 'always';
    return answers.includes(true) ? 'sometimes' : 'never';
  }

  /** The roles asked for last. */
  latest(user: User, hirer: Hirer): readonly string[] | undefined {
    return this.histories.get(keyOf(user, hirer))?.at(-1)?.roles;
  }

  /** The membership as it was, for the report of a violation. */
  describe(user: User, hirer: Hirer): string[] {
    const states = this.histories.get(keyOf(user, hirer)) ?? [];
    return states.map(
      ({ roles, from, until }) =>
        `${roles?.join(' ') ?? 'no member'}: from ${clock(from)}, at the latest until ${clock(until)}`,
    );
  }
}

/** A moment as reports print it: seconds since midnight, UTC. */
export function clock(ms: number): string {
  return Number.isFinite(ms) && ms > 0 ? new Date(ms).toISOString().slice(11, 23) : '-';
}

function keyOf({ userId }: User, { hirerId }: Hirer): string {
  return `${userId} ${hirerId}`;
}
