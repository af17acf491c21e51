/** Cancels work whose result is no longer wanted, without the event targets of an AbortController. */
export class Cancellation {
  private isFired = false;
  private listeners: (() => void)[] | undefined;

  get cancelled(): boolean {
    return this.isFired;
  }

  cancel(): void {
    if (this.isFired) return;
    const { listeners = [] } = this;
    this.isFired = true;
    this.listeners = undefined;
    for (const listener of listeners) listener();
  }

  /** @param listener called when it is cancelled from now on; check {@link cancelled} for the past */
  onCancel(listener: () => void): void {
    (this.listeners ??= []).push(listener);
  }

  offCancel(listener: () => void): void {
    const index = this.listeners?.indexOf(listener) ?? -1;
    if (index >= 0) this.listeners!.splice(index, 1);
  }
}
