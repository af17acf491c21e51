import type { Incoming } from '../http/exchange.js';
import type { PlaygroundClock } from '../playground-clock.js';
import { ControlError, readMembers, type Control } from './read-members.js';

const DAY_MS = 86_400_000;
/** The last instant that ISO 8601 writes with four digits of a year. */
const LATEST_MS = Date.UTC(9999, 11, 31);

/** `clock`: reads the playground's time, moves it, or sets it right again. */
export function clockControl({ clock }: { clock: PlaygroundClock }): Control {
  const told = (): object => ({ now: new Date(clock.now()).toISOString(), skewMs: clock.skewedByMs });
  return {
    GET: told,
    POST: (incoming) => {
      clock.skew(readSkew(incoming, clock));
      return told();
    },
    DELETE: () => {
      clock.skew(0);
      return told();
    },
  };
}

/** The skew that a request wants, stated as such, as a distance or as a time. */
function readSkew(incoming: Incoming, clock: PlaygroundClock): number {
  const wanted = readMembers(incoming, {
    skewMs: 'number',
    advanceMs: 'number',
    advanceDays: 'number',
    now: 'string',
  });
  const [[name, value] = [], ...others] = Object.entries(wanted);
  if (others.length > 0) throw new ControlError('Send one of skewMs, advanceMs, advanceDays and now.');
  const skewMs = skewOf(name, value, clock);
  const nowMs = clock.now() - clock.skewedByMs + skewMs;
  if (nowMs >= 0 && nowMs <= LATEST_MS) return Math.round(skewMs);
  throw new ControlError(
    'The time must be from 1970 to 9999; now is an instant such as 2026-12-24T09:00:00Z.',
  );
}

function skewOf(name: string | undefined, value: unknown, clock: PlaygroundClock): number {
  if (name === 'advanceMs') return clock.skewedByMs + Number(value);
  if (name === 'advanceDays') return clock.skewedByMs + Number(value) * DAY_MS;
  if (name === 'now') return clock.skewedByMs + Date.parse(String(value)) - clock.now();
  return Number(value ?? 0);
}
