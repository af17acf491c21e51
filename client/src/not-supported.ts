import { BffError } from './bff-error.js';

/** The refusal of an operation that names another hirer where the answer would land among the client's own. */
export function anotherHirer(advice = ''): BffError {
  const what = 'The context names another hirer than that of this client, whose data must not be mixed.';
  return new BffError('NOT_SUPPORTED', `${what} ${advice}`.trim());
}

/** The refusal of a subscription, which the interface does not have. */
export function noSubscriptions(): BffError {
  return new BffError('NOT_SUPPORTED', 'There are no GraphQL subscriptions. Read events with streamEvents.');
}
