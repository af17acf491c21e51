import type { Pool } from 'undici';
import { openPool, type Connecting, type ExchangeEnd, type OutgoingRequest } from './exchange.js';

/** A caller that leaves sooner says nothing about the connection. */
const PATIENCE_MS = 2_000;

/**
 * The connections of one target. One that dies without a word, as when a NAT forgets it, ends nothing: each call on it
 * waits for its deadline. So after a call that waited in vain the next calls open new connections, while those under way
 * end on the old ones.
 */
export class OriginPool {
  private current: Pool;
  private readonly former = new Set<Pool>();

  constructor(
    private readonly origin: URL,
    private readonly connectionsMax: number,
    private readonly connecting?: Connecting,
  ) {
    this.current = this.open();
  }

  /** Open connections, and calls that wait for one. */
  get stats(): Pool['stats'] {
    return this.current.stats;
  }

  perform<A>(
    request: OutgoingRequest,
    perform: (pool: Pool, request: OutgoingRequest, onEnd: ExchangeEnd) => Promise<A>,
    onEnd: ExchangeEnd,
  ): Promise<A> {
    const pool = this.current;
    const startedAt = performance.now();
    return perform(pool, request, (ended) => {
      const hasWaited = ended === 'aborted' && performance.now() - startedAt >= PATIENCE_MS;
      if (ended === 'timeout' || hasWaited) this.replace(pool);
      onEnd(ended);
    });
  }

  async destroy(): Promise<void> {
    await Promise.all([this.current, ...this.former].map((pool) => pool.destroy()));
  }

  private replace(pool: Pool): void {
    if (pool !== this.current || pool.closed) return;
    this.current = this.open();
    this.former.add(pool);
    pool.close().then(
      () => this.former.delete(pool),
      () => this.former.delete(pool),
    );
  }

  private open(): Pool {
    return openPool(this.origin, this.connectionsMax, this.connecting);
  }
}
