/**
 * Cancels work whose result is no longer wanted. It does what an AbortController does, without the cost of the two
 * event targets that each request would need.
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

  /** @param listener called when it is cancelled from now on; check {@link cancelled} for the past */
  onCancel(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** One that is cancelled together with this one, and can be cancelled separately. */
  child(): Cancellation {
    const child = new Cancellation();
    if (this.fired) child.cancel();
    else this.onCancel(() => child.cancel());
    return child;
  }

  /** Removes a listener. */
  offCancel(listener: () => void): void {
    const index = this.listeners.indexOf(listener);
    if (index >= 0) this.listeners.splice(index, 1);
  }
}
