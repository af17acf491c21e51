/**
 * Runs the work for a key once at a time: concurrent callers share its result, or its failure. Nothing is kept once the
 * work has ended.
 */
export class SingleFlight<T> {
  private readonly flights = new Map<string, Promise<T>>();

  /** Joins the work under way for `key`, or starts it. */
  run(key: string, work: () => Promise<T>): Promise<T> {
    const underWay = this.flights.get(key);
    if (underWay) return underWay;
    const flight = work().finally(() => this.flights.delete(key));
    this.flights.set(key, flight);
    return flight;
  }
}
