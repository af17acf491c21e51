import type { PlaygroundClock } from '../playground-clock.js';

/** Where to move the clock: by one of a skew, a distance in milliseconds or days, and an instant. */
export interface ClockWish {
  readonly skewMs?: number;
  readonly advanceMs?: number;
  readonly advanceDays?: number;
  readonly now?: string;
}

const DAY_MS = 86_400_000;
/** The last instant that ISO 8601 writes with four digits of a year. */
const LATEST_MS = Date.UTC(9999, 11, 31);

/** The skew that a wish comes to. @throws RangeError for two wishes, and for a time that cannot be */
export function skewOf(wish: ClockWish, clock: PlaygroundClock): number {
  if (Object.keys(wish).length > 1) {
    throw new RangeError('Send one of skewMs, advanceMs, advanceDays and now.');
  }
  const { skewMs, advanceMs = 0, advanceDays = 0, now } = wish;
  const distanceMs = now === undefined ? advanceMs + advanceDays * DAY_MS : Date.parse(now) - clock.now();
  const wantedMs = skewMs ?? clock.skewedByMs + distanceMs;
  const nowMs = clock.now() - clock.skewedByMs + wantedMs;
  if (nowMs >= 0 && nowMs <= LATEST_MS) return Math.round(wantedMs);
  throw new RangeError('The time must be from 1970 to 9999; now is an instant such as 2026-12-24T09:00:00Z.');
}
