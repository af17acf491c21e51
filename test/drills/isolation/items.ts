import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { calls } from './call-judge.js';
import type { Actor, DrillContext } from './context.js';
import { ROLES_OF_OPERATION, scopesOf, type DrillObject } from './world.js';

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
const HASHES = new Map<string, string>();

const hasScope = (roles: readonly string[]): boolean => scopesOf(roles).length > 0;

/** An item of any kind. Without a nonce it is the same for all, and its answer may be shared, if at all. */
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

const summary: Maker = (context, actor, nonce, language) => ({
  ...ofUser('OwnSummary', context, actor, nonce, language),
  body: registered('OwnSummary', { nonce }, actor.random.next()),
});

/** What a user is at a hirer; by a text of the caller's own, a machine gets nothing. */
function ofUser(
  name: 'Mine' | 'Touch' | 'OwnSummary',
  { world }: DrillContext,
  { user, hirer }: Actor,
  nonce: string | undefined,
  language: string,
): Item {
  const isOpen = !user.isMachine || name === 'OwnSummary';
  return {
    name,
    body: text(name, { nonce }),
    announces: isOpen ? [calls.mint(user, hirer), calls.browser(user, hirer, name, nonce)] : [],
    owned: isOpen,
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

/** An object, mostly of the hirer. */
function ofObject(
  name: string,
  { world }: DrillContext,
  { hirer, random }: Actor,
  nonce: string | undefined,
  root = 'object',
) {
  const object = random.pick((random.chance(0.75) ? hirer : random.pick(world.hirers)).objects);
  return {
    name,
    owned: object.hirer === hirer,
    rolesFit: ROLES_OF_OPERATION[name] ?? hasScope,
    root,
    expected: { id: object.id, nonce: nonce ?? null, marker: object.marker },
    object,
  };
}

const freeObject: Maker = (context, actor, nonce) => {
  const { user, hirer } = actor;
  const item = ofObject('FreeObject', context, actor, nonce);
  const sent = [calls.mint(user, hirer), calls.browser(user, hirer, item.name, nonce)];
  return {
    ...item,
    body: text(item.name, { id: item.object.id, nonce }),
    announces: user.isMachine ? [] : sent,
    owned: item.owned && !user.isMachine,
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
  const item = ofObject('ObjectDetails', context, actor, tag);
  const { id } = item.object;
  return {
    ...item,
    body: registered(item.name, { id, nonce: tag }, actor.random.next()),
    announces: [calls.partner(item.name, id, tag)],
  };
};

const change: Maker = (context, actor, _nonce, _language, tag) => {
  const item = ofObject('ChangeObject', context, actor, tag, 'changeObject');
  const { id } = item.object;
  const guard = calls.partner('ObjectOwner', id, undefined);
  return {
    ...item,
    body: registered(item.name, { input: { id, nonce: tag } }, actor.random.next()),
    announces: item.owned ? [guard, calls.partner(item.name, id, tag)] : [guard],
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
const OWN_MAKERS: readonly Maker[] = [touch, summary, objects, details, details, change, unknown];
const MAKERS: readonly Maker[] = [...SHARED_MAKERS, ...OWN_MAKERS];

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
  const kebab = name.replaceAll(/\B[A-Z]/g, '-$&').toLowerCase();
  const file = join('test', 'drills', 'isolation', 'operations', `${kebab}.graphql`);
  const hash = HASHES.get(name) ?? createHash('sha256').update(readFileSync(file)).digest('hex');
  HASHES.set(name, hash);
  return hash;
}
