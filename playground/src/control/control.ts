import type { Incoming } from '../http/exchange.js';

/** What one control does for each method. It returns the body of the answer. */
export interface Control {
  readonly GET?: (incoming: Incoming) => object;
  readonly POST?: (incoming: Incoming) => object;
  readonly DELETE?: (incoming: Incoming) => object;
}
