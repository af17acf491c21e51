import { isObject } from './parse-json.js';

/** A member's name, or a JSON pointer into members (RFC 6901): `/`, then names in which `~` and `/` are escaped. */
export const MEMBER_PLACE = /^(?:[^/].*|(?:\/(?:[^~/]|~[01])*)+)$/s;

/**
 * The value at a {@link MEMBER_PLACE} of an object; undefined where there is none. Only an object's own members count,
 * and a pointer does not lead into lists.
 */
export function memberAt(object: Readonly<Record<string, unknown>>, place: string): unknown {
  return namesOf(place).reduce<unknown>(
    (value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    object,
  );
}

/** An object that has the value at a {@link MEMBER_PLACE} of another one, and nothing else. */
export function onlyMemberAt(
  object: Readonly<Record<string, unknown>>,
  place: string,
): Record<string, unknown> {
  const value = memberAt(object, place);
  return namesOf(place).reduceRight((below, name) => ({ [name]: below }), value) as Record<string, unknown>;
}

function namesOf(place: string): readonly string[] {
  return place.startsWith('/') ? place.slice(1).split('/').map(unescapeName) : [place];
}

function unescapeName(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}
