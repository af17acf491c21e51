import { LRUCache } from 'lru-cache';
import { cacheBounds } from '../../../concurrency/cache-bounds.js';

/** So many events of a hirer, one after the other, must have failed before the hirer's others are held. */
const FAILING_EVENTS_MIN = 10;
const FAILING_EVENTS_MAX = 1_000;
const HOLD_MS_MIN = 1_000;
const HOLD_MS_MAX = 10_000;
const HIRERS_MAX = 10_000;
/** Hirers that one statement leaves out; beyond that all are held. */
export const HELD_HIRERS_MAX = 100;

/** The events that wait in the store rather than being tried. */
export interface Held {
  readonly all: boolean;
  readonly hirers: readonly string[];
}

interface Failing {
  /** Events whose last fetch failed. */
  readonly events: Set<number>;
  heldUntil: number;
  holdMs: number;
  isRecovering: boolean;
}

/**
 * Which events are not worth a call for their object now. One object that fails holds up no other event; but when those
 * of ten events of a hirer fail and none succeeds, the hirer's others stay in the store for up to ten seconds at a time,
 * and all stay there for as long as the upstream's rate limit asks for. The queue of each sink is judged by itself, so
 * that each keeps its order when the upstream has recovered.
 */
export class ObjectHolds {
  private readonly failing = new Map<string, LRUCache<string, Failing>>();
  private limitedUntil = 0;

  constructor(private readonly now: () => number) {}

  /** The upstream refused for the number of calls. */
  limit(seconds: number): void {
    this.limitedUntil = Math.max(this.limitedUntil, this.now() + seconds * 1000);
  }

  /** The fetch for an event of the hirer, in the queue of a sink, failed. */
  fail(sink: string, hirerId: string, sequence: number): void {
    const hirers = this.hirersOf(sink);
    const failing = hirers.get(hirerId) ?? {
      events: new Set(),
      heldUntil: 0,
      holdMs: HOLD_MS_MIN,
      isRecovering: false,
    };
    hirers.set(hirerId, failing);
    if (failing.events.size < FAILING_EVENTS_MAX) failing.events.add(sequence);
    if (failing.events.size < FAILING_EVENTS_MIN || this.now() < failing.heldUntil) return;
    failing.heldUntil = this.now() + failing.holdMs;
    failing.holdMs = Math.min(2 * failing.holdMs, HOLD_MS_MAX);
  }

  /**
   * The fetch for an event of the hirer, in the queue of a sink, succeeded.
   * @returns true if that shows that the hirer's other events in that queue are worth a try at once; they stay held until
   *   {@link recovered} is called
   */
  succeed(sink: string, hirerId: string, sequence: number): boolean {
    const failing = this.hirersOf(sink).get(hirerId);
    if (!failing || failing.isRecovering) return false;
    failing.isRecovering = failing.heldUntil > 0 || failing.events.has(sequence);
    if (failing.isRecovering) failing.heldUntil = Infinity;
    return failing.isRecovering;
  }

  /** The hirer's events that waited in that queue are due. */
  recovered(sink: string, hirerId: string): void {
    this.hirersOf(sink).delete(hirerId);
  }

  /** Seconds until the upstream may be asked for anything; 0 when it may. */
  get limitedSeconds(): number {
    return Math.max(0, Math.ceil((this.limitedUntil - this.now()) / 1000));
  }

  /** What is held now in the queue of a sink. */
  held(sink: string): Held {
    if (this.limitedSeconds > 0) return { all: true, hirers: [] };
    const hirers: string[] = [];
    for (const [hirerId, { heldUntil }] of this.hirersOf(sink).entries()) {
      if (heldUntil > this.now()) hirers.push(hirerId);
    }
    return hirers.length > HELD_HIRERS_MAX ? { all: true, hirers: [] } : { all: false, hirers };
  }

  private hirersOf(sink: string): LRUCache<string, Failing> {
    const known = this.failing.get(sink);
    if (known) return known;
    const hirers = new LRUCache<string, Failing>(cacheBounds(HIRERS_MAX));
    this.failing.set(sink, hirers);
    return hirers;
  }
}
