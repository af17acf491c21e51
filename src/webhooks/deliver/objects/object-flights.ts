/** An object that is being fetched. */
export interface ObjectFlight {
  /** True if earlier events of the hirer have become due meanwhile: this one is to go after them. */
  isOvertaken: boolean;
}

/** The objects that are being fetched, by hirer, in the queue of one sink. */
export class ObjectFlights {
  private readonly underWay = new Map<string, Set<ObjectFlight>>();

  async run<T>(hirer: string, work: (flight: ObjectFlight) => Promise<T>): Promise<T> {
    const flight = { isOvertaken: false };
    const flights = this.underWay.get(hirer) ?? new Set();
    this.underWay.set(hirer, flights.add(flight));
    try {
      return await work(flight);
    } finally {
      flights.delete(flight);
      if (flights.size === 0) this.underWay.delete(hirer);
    }
  }

  /** The hirer's events that waited have become due. */
  overtake(hirer: string): void {
    for (const flight of this.underWay.get(hirer) ?? []) flight.isOvertaken = true;
  }
}
