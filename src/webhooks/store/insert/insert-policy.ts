import type { ReceivedEvent } from '../webhook-event.js';

/** The port that decides what happens with an event once it is stored. */
export interface InsertPolicy {
  /** True if a target wants the event delivered. */
  isWanted(event: ReceivedEvent): boolean;
  /** From when on a repeat is delivered again; undefined when repeats are only counted. */
  readonly redeliverAfterMs: number | undefined;
}

/** Injection token of the {@link InsertPolicy}. */
export const InsertPolicy = Symbol('InsertPolicy');
