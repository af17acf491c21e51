import type { Incoming } from '../http/exchange.js';

/** One control: a handler for each method, which returns the body of the answer. */
export interface Control {
  readonly GET?: (incoming: Incoming) => object;
  readonly POST?: (incoming: Incoming) => object;
  readonly DELETE?: (incoming: Incoming) => object;
}
