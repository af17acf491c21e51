import type { ServerResponse } from 'node:http';
import { finished, type Readable } from 'node:stream';
import { BffError } from '../../errors/bff-error.js';
import type { Count, Metrics } from '../../telemetry/metrics.js';
import { UserSlots } from '../transport/user-slots.js';

/**
 * What a caller must take in each window. The operating system holds back more than that before it tells that a slow
 * caller took something, hence a small number of bytes and a long window.
 */
const BYTES_MIN = 65_536;

/** How many downloads there may be, and how slow one may be. */
export interface DownloadBounds {
  readonly perUserMax: number;
  /** Of all users; no more than the upstream connections for them. */
  readonly totalMax: number;
  /** A caller that takes less than 64 KiB in this time, and is not done, is cut. */
  readonly windowMs: number;
}

/**
 * The downloads under way. Each holds an upstream connection for as long as its caller reads, so one user may have only
 * a few, and a caller that reads next to nothing is cut. Counts how each of them ended.
 */
export class Downloads {
  private readonly slots: UserSlots;
  private readonly outcomes: Count<'outcome'>;
  private underWay = 0;

  constructor(
    private readonly bounds: DownloadBounds,
    metrics: Metrics,
  ) {
    this.slots = new UserSlots(bounds.perUserMax);
    this.outcomes = metrics.counter(
      'bff_attachment_downloads_total',
      'Downloads asked for, by outcome: ok, stalled (cut, its caller read too slowly), cancelled, or the error code.',
      ['outcome'],
    );
    metrics.gauge(
      'bff_attachment_downloads',
      'Downloads under way; each holds an upstream connection.',
      [],
      (gauge) => gauge.set(this.underWay),
    );
  }

  /**
   * Begins a download; the function that is returned ends it.
   * @throws BffError `rate_limited` when the user has too many, `unavailable` when all together are too many
   */
  enter(user: string): () => void {
    if (this.underWay >= this.bounds.totalMax) {
      throw new BffError('unavailable', { message: 'too many downloads under way' });
    }
    if (this.slots.take(user) === 0) {
      throw new BffError('rate_limited', { message: 'too many downloads of one user under way' });
    }
    this.underWay += 1;
    return () => {
      this.underWay -= 1;
      this.slots.release(user);
    };
  }

  /** Counts one that ended without an answer. */
  count(outcome: string): void {
    this.outcomes.inc({ outcome });
  }

  /** Watches over an answer that has begun, and ends with it: upstream connection and slot are free then. */
  follow(body: Readable, response: ServerResponse, leave: () => void): void {
    const watch = watchProgress(response, this.bounds.windowMs);
    finished(response, () => {
      watch.stop();
      this.count(watch.stalled ? 'stalled' : outcomeOf(body, response));
      body.on('error', () => undefined).destroy();
      leave();
    });
  }
}

/** Cuts a response of which too little is taken in a window. */
export function watchProgress(response: ServerResponse, windowMs: number) {
  let before = bytesTaken(response);
  const timer = setInterval(() => {
    const taken = bytesTaken(response);
    if (taken - before < BYTES_MIN) {
      watch.stalled = true;
      response.destroy();
    }
    before = taken;
  }, windowMs);
  const watch = { stalled: false, stop: () => clearInterval(timer) };
  return watch;
}

/** What the operating system took of the response, that is, its buffers and the caller. */
function bytesTaken({ socket }: ServerResponse): number {
  return socket ? socket.bytesWritten - socket.writableLength : 0;
}

function outcomeOf(body: Readable, response: ServerResponse): string {
  if (response.writableFinished) return 'ok';
  return body.errored ? 'upstream_error' : 'cancelled';
}
