/** Counts what each user has under way, and bounds it. Nothing is kept of a user who has nothing under way. */
export class UserSlots {
  private readonly taken = new Map<string, number>();

  /** @param max most slots of one user */
  constructor(private readonly max: number) {}

  /** Takes up to `count` slots and returns how many there were; each must be released. */
  take(user: string, count = 1): number {
    const held = this.taken.get(user) ?? 0;
    const given = Math.min(count, this.max - held);
    if (given > 0) this.taken.set(user, held + given);
    return given;
  }

  /** Gives back what {@link take} returned. */
  release(user: string, count = 1): void {
    const left = (this.taken.get(user) ?? 0) - count;
    if (left > 0) this.taken.set(user, left);
    else this.taken.delete(user);
  }
}
