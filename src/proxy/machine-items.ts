import { BffError } from '../errors/bff-error.js';
import { NO_HIRER } from '../http/end-user.js';
import type { Item } from '../operations/operation.js';

/**
 * The items of a body that a machine may send: registered operations, those of a hirer with `X-Hirer-Id` and those of
 * none without it. The refusal of another stands in its place.
 * @param hirerId {@link NO_HIRER} without the header
 * @throws BffError `invalid_request` when the header is missing and every item needs it
 */
export function openToMachine(items: readonly Item[], hirerId: string): readonly Item[] {
  if (hirerId === NO_HIRER && items.every(isOfHirer)) {
    throw new BffError('invalid_request', {
      detail: 'X-Hirer-Id is required: a machine belongs to every hirer.',
    });
  }
  return items.map((item) => judge(item, hirerId));
}

function isOfHirer(item: Item): boolean {
  return !(item instanceof BffError) && item.registered !== undefined && !item.registered.isUnbound;
}

function judge(item: Item, hirerId: string): Item {
  if (item instanceof BffError) return item;
  if (item.registered) return item.registered.hirerFault(hirerId) ?? item;
  return new BffError('scope_forbidden', {
    detail: 'A machine calls registered operations: send a documentId instead of a text.',
  });
}
