/** Why something is missing in the object of an event; no text of the upstream. */
export interface ObjectError {
  /** As on `/graphql` (docs/errors.md), or the upstream's own. */
  readonly code: string;
  /** The place in the object; absent where there is none. */
  readonly path?: readonly (string | number)[];
}

/** What goes with an event in place of its members `object` and `objectErrors`. */
export interface DeliveredObject {
  /** JSON; undefined where the event goes without. */
  readonly object: string | undefined;
  readonly errors: readonly ObjectError[];
}

/** What an attempt to get the object of an event came to. */
export type ObjectOutcome =
  | ({ readonly kind: 'settled' } & DeliveredObject)
  /** The delivery waits: the upstream may answer later. */
  | { readonly kind: 'waiting'; readonly reason: string; readonly pauseMs: number };
