import { isObject } from './is-object.js';

/** A member's name, or a JSON pointer into members (RFC 6901): `/`, then names in which `~` and `/` are escaped. */
export const MEMBER_PLACE = /^(?:[^/].*|(?:\/(?:[^~/]|~[01])*)+)$/s;

/**
 * The value at a {@link MEMBER_PLACE} of an object; undefined where there is none. Only an object's own members count,
 * and a pointer does not lead into lists.
 */
export function memberAt(object: Readonly<Record<string, unknown>>, place: string): unknown {
  const names = place.startsWith('/') ? place.slice(1).split('/').map(unescapeName) : [place];
  return names.reduce<unknown>(
    (value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    object,
  );
}

function unescapeName(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}
