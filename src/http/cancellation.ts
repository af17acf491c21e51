import { EventEmitter } from 'node:events';

/**
 * Cancels work whose result is no longer wanted: emits `abort`, once. What undici takes as a signal, without the event
 * targets of an AbortController. Look at {@link cancelled} for the past.
 */
export class Cancellation extends EventEmitter<{ abort: [] }> {
  cancelled = false;

  constructor() {
    super();
    this.setMaxListeners(0); // each call under way is one
  }

  cancel(): void {
    if (this.cancelled) return;
    this.cancelled = true;
    this.emit('abort');
  }
}
