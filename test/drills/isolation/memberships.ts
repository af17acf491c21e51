import type { User, Hirer } from './world.js';

/** Milliseconds since the epoch, with fractions. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}

/** From when to when something happened, in milliseconds. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The truth of a statement over a span: at every moment, at some, or at none. */
export type Verdict = 'always' | 'sometimes' | 'never';

/** The conjunction of several. */
export function all(...verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes('never')) return 'never';
  return verdicts.every((verdict) => verdict === 'always') ? 'always' : 'sometimes';
}

/** The truth of a statement that holds until a moment not exactly known. */
export function untilSome(earliest: number, latest: number, { start, end }: Span): Verdict {
  if (end < earliest) return 'always';
  return start > latest ? 'never' : 'sometimes';
}

/** A membership as it may be in force: roles, or undefined for none. */
interface State {
  readonly roles: readonly string[] | undefined;
  /** The earliest moment: when the change was asked for. */
  readonly from: number;
  /** The latest: when the next change was acknowledged, and the bound has gone by. */
  until: number;
}

const STATES_MAX = 30;
const MACHINE_ROLES = ['machine'];

/**
 * The model: who may see what when. A change may be in force from the moment it is asked for, and must be once it is
 * acknowledged and `boundMs` has gone by; in between, either state is right. Changes of one membership come one after
 * the other, those of different ones at the same time.
 */
export class Memberships {
  private readonly histories = new Map<string, State[]>();

  /** @param boundMs how long a replica may lag behind; 0 for one alone */
  constructor(private readonly boundMs: number) {}

  /**
   * A change begins.
   * @returns to be called when it is acknowledged; a change that fails is never acknowledged, and may be in force
   */
  change(user: User, hirer: Hirer, roles: readonly string[] | undefined): () => void {
    const key = keyOf(user, hirer);
    const known = this.histories.get(key) ?? [{ roles: undefined, from: 0, until: Infinity }];
    const state: State = { roles, from: now(), until: Infinity };
    const states = [...known.slice(-STATES_MAX), state];
    this.histories.set(key, states);
    return () => {
      const until = now() + this.boundMs;
      for (const earlier of states) if (earlier !== state) earlier.until = Math.min(earlier.until, until);
    };
  }

  /** The roles that may be in force in the span; undefined stands for no membership. */
  possible(user: User, hirer: Hirer, { start, end }: Span): readonly (readonly string[] | undefined)[] {
    if (user.isMachine) return [MACHINE_ROLES]; // whatever the store says
    const states = this.histories.get(keyOf(user, hirer)) ?? [];
    const met = states.filter(({ from, until }) => from <= end && until >= start);
    return met.length > 0 ? met.map(({ roles }) => roles) : [undefined];
  }

  /** The truth of the user being a member with roles that fit. */
  judge(user: User, hirer: Hirer, span: Span, fits: (roles: readonly string[]) => boolean): Verdict {
    const answers = this.possible(user, hirer, span).map((roles) => roles !== undefined && fits(roles));
    if (answers.every((answer) => answer)) return 'always';
    return answers.includes(true) ? 'sometimes' : 'never';
  }

  /** The roles asked for last. */
  latest(user: User, hirer: Hirer): readonly string[] | undefined {
    return this.histories.get(keyOf(user, hirer))?.at(-1)?.roles;
  }

  /** The membership as it was, for the report of a violation. */
  describe(user: User, hirer: Hirer): string[] {
    const states = this.histories.get(keyOf(user, hirer)) ?? [];
    return states.map(
      ({ roles, from, until }) =>
        `${roles?.join(' ') ?? 'no member'}: from ${clock(from)}, at the latest until ${clock(until)}`,
    );
  }
}

/** A moment as reports print it: seconds since midnight, UTC. */
export function clock(ms: number): string {
  return Number.isFinite(ms) && ms > 0 ? new Date(ms).toISOString().slice(11, 23) : '-';
}

function keyOf({ userId }: User, { hirerId }: Hirer): string {
  return `${userId} ${hirerId}`;
}
