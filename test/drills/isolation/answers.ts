import type { Grant } from './tokens.js';
import type { DrillObject, Hirer, World } from './world.js';

/** A GraphQL request as the upstream receives it. */
export interface SentOperation {
  readonly query: string;
  readonly operationName?: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** The parts of an answer. */
export interface Scene {
  readonly world: World;
  /** The contents of the browser token; undefined for the partner token. */
  readonly grant: Grant | undefined;
  readonly language: string;
  readonly origin: string;
  /** How the upstream wrongs the caller: another hirer's object, as the answer or in the text of an error. */
  readonly lie?: 'other object' | 'other object in an error' | undefined;
}

/** The answer to one operation. A browser token reads its own hirer only, the partner token everything. */
export function answerOperation(operation: SentOperation, scene: Scene): string {
  const { operationName, query, variables = {} } = operation;
  const name = operationName ?? /\w+ (\w+)/.exec(query)?.[1] ?? '';
  switch (name) {
    case 'Mine':
    case 'Touch':
    case 'OwnSummary':
      return data({ mine: mine(scene, variables, true) });
    case 'SharedSummary':
      return data({ mine: mine(scene, variables, false) });
    case 'FreeObject':
    case 'ObjectDetails':
    case 'EventObject':
    case 'ObjectOwner':
      return object(scene, variables);
    case 'ChangeObject':
      return changed(scene, variables);
    case 'HirerObjects':
    case 'RestrictedObjects':
      return objects(scene, variables);
    case 'HirerNames':
      return names(scene, variables);
    default:
      return refused('There is no such operation.', 'BAD_USER_INPUT');
  }
}

function mine({ world, grant, language }: Scene, variables: Variables, ofUser: boolean): unknown {
  const [user, hirer] = [world.user(grant?.userId ?? ''), world.hirer(grant?.hirerId ?? '')];
  if (!grant || !user || !hirer) return null;
  return {
    nonce: variables['nonce'] ?? null,
    hirerId: hirer.hirerId,
    marker: hirer.marker,
    scopes: grant.scopes,
    language,
    ...(ofUser && { userMarker: world.userMarker(user, hirer) }),
  };
}

function object(scene: Scene, variables: Variables): string {
  const found = scene.world.object(variables['id']);
  if (!found || (scene.grant && found.hirer.hirerId !== scene.grant.hirerId)) {
    return refused('The object is not yours.', 'FORBIDDEN');
  }
  const other = otherHirer(scene.world, found.hirer).objects[0]!;
  if (scene.lie === 'other object in an error') {
    return refused(`The object ${other.marker} is locked.`, 'LOCKED', ['object', 'hirer']);
  }
  return data({ object: view(scene.lie ? other : found, variables, scene) });
}

function changed({ world, ...scene }: Scene, variables: Variables): string {
  const input = (variables['input'] ?? {}) as Variables;
  const found = world.object(input['id']);
  return data({ changeObject: found ? view(found, input, { world, ...scene }) : null });
}

function objects(scene: Scene, variables: Variables): string {
  const hirer = scene.world.hirer(String(variables['hirerId']));
  return data({ objects: hirer?.objects.map((one) => view(one, variables, scene)) ?? [] });
}

function names(scene: Scene, variables: Variables): string {
  const entries = Object.entries(variables).map(([name, hirerId]) => [
    `h${name.slice('id'.length)}`,
    nameOf(scene, hirerId),
  ]);
  return data(Object.fromEntries(entries));
}

function nameOf({ world }: Scene, hirerId: unknown): unknown {
  return { name: world.hirer(String(hirerId))?.name };
}

/** An object whole: its title looks like the file of another hirer, and a member that nobody selects holds a marker. */
function view(
  { id, marker, hirer }: DrillObject,
  variables: Variables,
  { world, origin, grant }: Scene,
): unknown {
  const other = otherHirer(world, hirer);
  return {
    id,
    nonce: variables['nonce'] ?? null,
    marker,
    title: `${origin}/attachments/${other.objects[0]!.id}`,
    file: `${origin}/attachments/${id}`,
    hirer: { id: { value: hirer.hirerId } },
    ...(!grant && { unselected: other.marker }),
  };
}

function otherHirer({ hirers }: World, hirer: Hirer): Hirer {
  return hirers[(hirers.indexOf(hirer) + 1) % hirers.length]!;
}

type Variables = Readonly<Record<string, unknown>>;

function data(value: unknown): string {
  return JSON.stringify({ data: value });
}

function refused(message: string, code: string, path: readonly string[] = ['object']): string {
  return JSON.stringify({ data: { object: null }, errors: [{ message, path, extensions: { code } }] });
}
