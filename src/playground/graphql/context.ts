import type { Locale, Localised } from '../data/localised.js';
import type { World } from '../data/world.js';
import type { Faults } from '../faults/faults.js';
import type { Switches } from '../switches.js';
import type { Credential } from '../tokens.js';

/** What every resolver can reach: the data, the time and the caller. */
export interface Context {
  readonly world: World;
  readonly now: () => number;
  readonly switches: Readonly<Switches>;
  readonly faults: Faults;
  readonly credential: Credential;
  readonly locale: Locale;
  /** For the call log. */
  readonly fields: string[];
  readonly ruleBreaks: string[];
  readonly startedAtMs: number;
}

/** The text of a localised value in the language of the request. */
export function textOf(localised: Localised, { locale }: Context): string {
  return localised[locale];
}
