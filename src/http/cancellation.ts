/**
 * Tells work under way that nobody waits for it any more: what an AbortController with its signal does, without the
 * event target, of which each request would pay two.
 */
export class Cancellation {
  private fired = false;
  private listeners: (() => void)[] = [];

  /** Whether {@link cancel} was called. */
  get cancelled(): boolean {
    return this.fired;
  }

  /** Calls the listeners, once. */
  cancel(): void {
    if (this.fired) return;
    this.fired = true;
    const listeners = this.listeners;
    this.listeners = [];
    for (const listener of listeners) listener();
  }

  /** @param listener called when it is cancelled from now on; look at {@link cancelled} for the past */
  onCancel(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** One that is cancelled together with this one, and alone when somebody so wishes. */
  child(): Cancellation {
    const child = new Cancellation();
    if (this.fired) child.cancel();
    else this.onCancel(() => child.cancel());
    return child;
  }

  /** Takes a listener back. */
  offCancel(listener: () => void): void {
    const index = this.listeners.indexOf(listener);
    if (index >= 0) this.listeners.splice(index, 1);
  }
}
