/** How JSON Schema has the members that several controls take. */
export const TEXT = { type: 'string' };
/** A list of texts. */
export const TEXTS = { type: 'array', items: TEXT };
/** How many things a control makes at once, or how often something happens. */
export const COUNT = { type: 'integer', minimum: 0, maximum: 10_000 };
/** A wait in milliseconds that Node's timers accept. */
export const WAIT_MS = { type: 'number', minimum: 0, maximum: 2 ** 31 - 1 };
