import type { Incoming } from '../http/exchange.js';

/** What one control does for each method; what it returns is the answer's body. */
export interface Control {
  readonly GET?: (incoming: Incoming) => object;
  readonly POST?: (incoming: Incoming) => object;
  readonly DELETE?: (incoming: Incoming) => object;
}
