/**
 * Port: which hirer a change event of the upstream belongs to, by what its signature vouches for. Not every type of
 * event names its hirer in the upstream's schema, but each signed webhook does.
 */
export abstract class EventOwners {
  /**
   * The hirer of the event with that id; undefined when no signed copy of it is known, or the copy names no hirer.
   * @throws StoreError while that cannot be found out
   */
  abstract hirerOf(eventId: string): Promise<string | undefined>;
}
