import { clock, now, type Span } from './memberships.js';
import type { Hirer, User } from './world.js';

/** An operation of the drill, as far as others must know of it. */
export interface Operation {
  readonly step: number;
  readonly user: User;
  /** Undefined where the service chooses it, and where it is about several. */
  readonly hirer: Hirer | undefined;
  readonly text: string;
  /** The upstream calls it may cause, each as a key that the judge of calls makes alike. */
  readonly announces: readonly string[];
  /** Its calls may come again at any time: an event is delivered at least once. */
  readonly recurs?: true;
  readonly span: Span;
}

/** How long after its end an operation may still explain a call: one sent before, or sent on for others. */
const REMEMBERED_MS = 3_000;
/** The same, where its caller left or its replica was killed: it may wait for the work of others that it needs. */
const UNANSWERED_MS = 30_000;
const NOTES_MAX = 25;

/**
 * The operations under way and what they announced, and a history of each user at each hirer. Every call that the
 * upstream receives must have been announced by an operation that was under way.
 */
export class Ledger {
  private readonly announced = new Map<string, Operation[]>();
  private readonly notes = new Map<string, string[]>();

  begin(operation: Omit<Operation, 'span'>): Operation {
    const begun: Operation = { ...operation, span: { start: now(), end: Infinity } };
    for (const key of begun.announces) {
      const others = this.announced.get(key);
      if (others) others.push(begun);
      else this.announced.set(key, [begun]);
    }
    return begun;
  }

  /** @param outcome undefined where no answer came */
  end(operation: Operation, outcome: string | undefined): Span {
    const span = { start: operation.span.start, end: now() };
    Object.assign(operation.span, span);
    const { step, user, hirer, text } = operation;
    this.note(user, hirer, `step ${step} ${text} (since ${clock(span.start)}): ${outcome ?? 'no answer'}`);
    const rememberedMs = outcome === undefined ? UNANSWERED_MS : REMEMBERED_MS;
    if (!operation.recurs) setTimeout(() => this.forget(operation), rememberedMs).unref();
    return span;
  }

  /** The operations that announced a call. */
  explaining(key: string): readonly Operation[] {
    return this.announced.get(key) ?? [];
  }

  note(user: User, hirer: Hirer | undefined, text: string): void {
    const key = keyOf(user, hirer);
    const notes = this.notes.get(key) ?? [];
    this.notes.set(key, notes);
    notes.push(`${clock(now())} ${text}`);
    if (notes.length > NOTES_MAX) notes.shift();
  }

  /** The last events of the user at the hirer. */
  history(user: User, hirer: Hirer | undefined): readonly string[] {
    return this.notes.get(keyOf(user, hirer)) ?? [];
  }

  private forget(operation: Operation): void {
    for (const key of operation.announces) {
      const left = this.explaining(key).filter((other) => other !== operation);
      if (left.length > 0) this.announced.set(key, left);
      else this.announced.delete(key);
    }
  }
}

function keyOf({ userId }: User, hirer: Hirer | undefined): string {
  return `${userId} ${hirer?.hirerId ?? ''}`;
}
