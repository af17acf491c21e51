import type { Readiness } from '../../../telemetry/health.js';
import type { DashboardSample } from '../dashboard-sample.js';
import { SLOT_MS, slotOf, sumSamples } from './sum-samples.js';

/** Rises when samples or readiness change so that the previous version cannot read them: it then shows none. */
const SHAPE = 1;
/** A busy replica's have 5,000 bytes. */
const FIGURES_BYTES_MAX = 32_768;
const HALF_HOUR_SLOTS = 180;
/** So many of the latest slots are written, that no reader misses one. */
const WRITTEN_SLOTS = 4;

/** What a replica tells the others of itself: counts and states, nothing of a person, a hirer or a secret. */
export interface Figures {
  readonly readiness: Readiness;
  readonly samples: readonly DashboardSample[];
}

/** The figures as JSON; null where they are too long. */
export function writeFigures(figures: Figures): string | null {
  const text = JSON.stringify({ shape: SHAPE, ...figures });
  return Buffer.byteLength(text) > FIGURES_BYTES_MAX ? null : text;
}

/** The figures that a replica wrote; undefined where it is of a version that writes them in another way. */
export function readFigures(text: string | null): Figures | undefined {
  if (text === null || text.length > FIGURES_BYTES_MAX) return undefined;
  try {
    const { shape, readiness, samples } = JSON.parse(text) as Figures & { readonly shape: unknown };
    if (shape !== SHAPE || typeof readiness.checks !== 'object') return undefined;
    return { readiness, samples: samples.map((sample) => sumSamples([sample], slotOf(sample.time))) };
  } catch {
    return undefined;
  }
}

/** The last half hour of one replica, by slots. */
export class HalfHour {
  private readonly slots = new Map<number, DashboardSample>();

  /** Those of the latest slots, the last of which is not over yet. */
  get latest(): DashboardSample[] {
    return [...this.slots.values()].slice(-WRITTEN_SLOTS);
  }

  /** Adds a sample to its slot. */
  add(sample: DashboardSample): void {
    const slot = slotOf(sample.time);
    const known = this.slots.get(slot);
    this.put(sumSamples(known ? [known, sample] : [sample], slot));
  }

  /** Takes a whole slot, in place of an earlier reading of it. */
  put(sample: DashboardSample): void {
    this.slots.set(sample.time, sample);
    if (this.slots.size > HALF_HOUR_SLOTS) this.slots.delete(this.slots.keys().next().value!);
  }

  at(slot: number): DashboardSample | undefined {
    return this.slots.get(slot);
  }
}

/** What several did together, by slot, up to that time; slots of which nothing is known are left out. */
export function sumHalfHours(all: readonly HalfHour[], until: number): DashboardSample[] {
  const samples: DashboardSample[] = [];
  const end = slotOf(until);
  for (let slot = end - HALF_HOUR_SLOTS * SLOT_MS; slot < end; slot += SLOT_MS) {
    const known = all.flatMap((one) => one.at(slot) ?? []);
    if (known.length > 0) samples.push(sumSamples(known, slot));
  }
  return samples;
}
