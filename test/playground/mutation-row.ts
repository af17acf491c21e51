import type { Json } from '../support/ask-token.js';

/** Where the examples have events sent to. */
export const RECEIVER = 'https://partner.example/webhooks';
/** The code of an input that is not valid. */
export const BAD = 'BAD_USER_INPUT';

/** The data that is read through the schema after a mutation. */
interface Effect {
  readonly query: string;
  /** Picks what to read out of the mutation's payload or its input. */
  readonly id: (payload: Json, input: Json) => string;
  readonly now: Json;
}

/** One member of the example's input, changed to something invalid, and the code of the error. */
type Refusal = readonly [path: string, value: unknown, code: string];

/** How one mutation shows its effect, and what it refuses. */
export interface MutationRow {
  readonly effect: Effect;
  readonly refused: Refusal;
}
