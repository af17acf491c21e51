/**
 * Cancels work whose result is no longer wanted: what everything in this service takes and gives. Each request has one,
 * so it does without the two event targets of an AbortController. An AbortSignal is made of it only for what is not
 * ours: the handlers of events, and APIs of Node.js and undici (see {@link toSignal}).
 */
export class Cancellation {
  private fired = false;
  private given: Error | undefined;
  private listeners: (() => void)[] | undefined;

  /** True if {@link cancel} was called. */
  get cancelled(): boolean {
    return this.fired;
  }

  /** Why it was cancelled. */
  get reason(): Error {
    return this.given ?? new Error('cancelled');
  }

  /** Calls the listeners, once. */
  cancel(reason?: Error): void {
    if (this.fired) return;
    this.fired = true;
    this.given = reason;
    const { listeners = [] } = this;
    this.listeners = undefined;
    for (const listener of listeners) listener();
  }

  /** @param listener called when it is cancelled from now on; check {@link cancelled} for the past */
  onCancel(listener: () => void): void {
    (this.listeners ??= []).push(listener);
  }

  /** Removes a listener. */
  offCancel(listener: () => void): void {
    const index = this.listeners?.indexOf(listener) ?? -1;
    if (index >= 0) this.listeners!.splice(index, 1);
  }

  /** A signal that is aborted with it; each call makes another, which lasts as long as this object. */
  toSignal(): AbortSignal {
    const controller = new AbortController();
    if (this.fired) controller.abort(this.reason);
    else this.onCancel(() => controller.abort(this.reason));
    return controller.signal;
  }
}
