import { ok, warn, fail, type Check } from './finding.js';

/**
 * `Date` headers have whole seconds, and a busy server's may be older than its answer. Tokens are judged by their times, and
 * a signed delivery is refused when it is five minutes old.
 */
const WARNED_MS = 5_000;
const FAILED_MS = 60_000;

/** How far the clocks of others are from ours. */
export class Clocks {
  private readonly skews = new Map<string, number>();

  constructor(private readonly now: () => number = Date.now) {}

  /** @param date a `Date` header (RFC 9110 section 6.6.1), or epoch milliseconds, as read now */
  note(peer: string, date: string | number | undefined): void {
    const theirs = typeof date === 'number' ? date : Date.parse(date ?? '');
    if (!Number.isNaN(theirs)) this.skews.set(peer, theirs - this.now());
  }

  /** A check for each of these peers; run it when they have answered. */
  checks(peers: readonly string[]): Check[] {
    return peers.map((peer) => ({
      name: `clock of ${peer}`,
      todo: 'have this machine follow an NTP server',
      run: async () => this.judge(peer),
    }));
  }

  private judge(peer: string) {
    const skew = this.skews.get(peer);
    if (skew === undefined) {
      return warn('not checked: no answer said its time', 'see the line of its own above');
    }
    const off = Math.abs(skew);
    if (off < WARNED_MS) return ok(`as ours, within ${WARNED_MS / 1000} s`);
    return (off < FAILED_MS ? warn : fail)(
      `${Math.round(off / 1000)} s ${skew > 0 ? 'ahead of' : 'behind'} ours`,
      'have this machine follow an NTP server; theirs may be wrong too',
    );
  }
}
