import { NEWER_TYPES, TIERS, type QueryForm, type Tier } from './events-query.js';

/** How long a fuller form is not tried again after the upstream refused it. */
export const REFUSED_MS = 3_600_000;

/** A form that the upstream refused, and why. */
export interface Refusal {
  readonly reason: string;
  /** Epoch milliseconds. */
  readonly triedAgainAt: number;
}

/**
 * The forms of the events query that the upstream accepts, as far as this replica knows. A refused form is tried again
 * after an hour, and when the process starts. The types of newer schemas are named once an event of theirs was read.
 */
export class QueryForms {
  private acceptedTier: Tier = 'full';
  private tierRefusal: Refusal | undefined;
  private named: readonly string[] = [];
  private readonly unknownUntil = new Map<string, number>();

  /** @param pollMs how often there is something to ask, while this replica is the one that asks */
  constructor(
    private readonly now: () => number,
    private readonly pollMs: number,
  ) {}

  /** The fullest tier that was accepted lately; the full one if another replica has asked since then. */
  get tier(): Tier {
    return this.refusal ? this.acceptedTier : 'full';
  }

  /** Why it is not the full one. */
  get refusal(): Refusal | undefined {
    const isOld = this.now() > (this.tierRefusal?.triedAgainAt ?? 0) + 2 * this.pollMs;
    return isOld ? undefined : this.tierRefusal;
  }

  /** The forms to try, in that order, until the upstream accepts one. */
  toTry(): QueryForm[] {
    const isDue = this.refusal === undefined || this.now() >= this.refusal.triedAgainAt;
    const tiers = isDue ? TIERS : TIERS.slice(TIERS.indexOf(this.acceptedTier));
    const forms = tiers.map((tier) => ({ tier, newerTypes: [] }));
    if (this.named.length === 0) return forms;
    const naming = { newerTypes: this.named };
    return forms.flatMap((form) => (form.tier === 'plain' ? [form] : [{ ...form, ...naming }, form]));
  }

  /** The form that also names the newer types among these; undefined if there is nothing more to name. */
  extend(form: QueryForm, types: readonly string[]): QueryForm | undefined {
    if (form.tier === 'plain') return undefined;
    const isUnknown = (type: string): boolean => this.now() < (this.unknownUntil.get(type) ?? 0);
    const more = NEWER_TYPES.filter(
      (type) => types.includes(type) && !form.newerTypes.includes(type) && !isUnknown(type),
    );
    return more.length === 0 ? undefined : { ...form, newerTypes: [...form.newerTypes, ...more] };
  }

  /** The upstream accepted a form. @param reason why it refused the one that was tried first */
  accept({ tier, newerTypes }: QueryForm, reason: string | undefined): void {
    const forgotten = this.named.filter((type) => !newerTypes.includes(type));
    for (const type of forgotten) this.unknownUntil.set(type, this.now() + REFUSED_MS);
    this.named = newerTypes;
    this.acceptedTier = tier;
    if (tier === 'full') this.tierRefusal = undefined;
    else if (reason !== undefined) this.tierRefusal = { reason, triedAgainAt: this.now() + REFUSED_MS };
  }

  /** The upstream's schema lacks one of the types that the second form names and the first does not. */
  refuseTypes({ newerTypes }: QueryForm, extended: QueryForm): void {
    for (const type of extended.newerTypes) {
      if (!newerTypes.includes(type)) this.unknownUntil.set(type, this.now() + REFUSED_MS);
    }
  }
}
