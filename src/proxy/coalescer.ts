import { UpstreamFault } from '../upstream/http-exchange.js';

interface Flight<T> {
  readonly controller: AbortController;
  readonly result: Promise<T>;
  members: number;
}

/**
 * Lets those who ask the same at the same time share one answer. Nothing is kept once it is there. Who leaves, the
 * first one included, leaves alone; when all have left, the work is given up.
 */
export class Coalescer<T> {
  private readonly flights = new Map<string, Flight<T>>();

  /** @param onShared the calling one joins work under way */
  constructor(private readonly onShared: () => void) {}

  /**
   * @param key equal only where the very same answer may be given
   * @throws UpstreamFault of kind `aborted` when `signal` fires; whatever `start` throws
   */
  join(key: string, signal: AbortSignal, start: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (signal.aborted) return Promise.reject(new UpstreamFault('aborted', false));
    let flight = this.flights.get(key);
    if (flight) this.onShared();
    else this.flights.set(key, (flight = this.depart(key, start)));
    flight.members += 1;
    return this.wait(key, flight, signal);
  }

  private depart(key: string, start: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController();
    const flight: Flight<T> = {
      controller,
      members: 0,
      result: start(controller.signal).finally(() => this.forget(key, flight)),
    };
    return flight;
  }

  private wait(key: string, flight: Flight<T>, signal: AbortSignal): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const leave = (): void => {
        flight.members -= 1;
        reject(new UpstreamFault('aborted', true));
        if (flight.members > 0) return;
        this.forget(key, flight);
        flight.controller.abort();
      };
      signal.addEventListener('abort', leave);
      flight.result.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
    });
  }

  private forget(key: string, flight: Flight<T>): void {
    if (this.flights.get(key) === flight) this.flights.delete(key);
  }
}
