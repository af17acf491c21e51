/** A dependency that keeps state for this service, by its name in `/readyz`. */
export type Store = 'database' | 'cache';

/**
 * A store that does not answer, or cannot do at present what it is asked: `toBffError` makes it `unavailable`. Each adapter
 * decides by the codes of its driver; what is wrong with a statement of ours stays the driver's error.
 */
export class StoreError extends Error {
  override readonly name = 'StoreError';

  /** @param options the driver's error as `cause` */
  constructor(
    readonly store: Store,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
