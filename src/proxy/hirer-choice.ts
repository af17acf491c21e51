import type { IncomingMessage } from 'node:http';
import { BffError } from '../errors/bff-error.js';
import type { HirerGate } from '../hirer-access/hirer-gate.js';
import { isHirerId } from '../hirer-access/membership.js';
import { NO_HIRER } from '../http/end-user.js';
import { isRepeated } from '../http/request-context.js';
import type { RequestContext } from '../http/request-context.js';
import type { Item } from '../operations/operation.js';

const HEADER = 'x-hirer-id';

/**
 * The hirer a request is for: the one in `X-Hirer-Id`, or the only one of the user; without the header, a machine asks
 * for {@link NO_HIRER}. The gate decides whether the user belongs to it.
 * @throws BffError `invalid_request` when the header is not an identifier, given twice, or missing where the user has
 *   several hirers; `hirer_forbidden` when the user has none
 */
export function chooseHirer(
  context: RequestContext,
  { headers, rawHeaders }: Pick<IncomingMessage, 'headers' | 'rawHeaders'>,
  gate: HirerGate,
): string | Promise<string> {
  const header = headers[HEADER];
  if (header === undefined) {
    return context.endUser.isMachine ? NO_HIRER : chooseOnlyHirer(context, gate);
  }
  if (isRepeated(HEADER, rawHeaders)) {
    throw new BffError('invalid_request', { detail: 'X-Hirer-Id must be given once.' });
  }
  if (isHirerId(header)) return header;
  throw new BffError('invalid_request', {
    detail: 'X-Hirer-Id must be a hirer object identifier of 1 to 255 bytes.',
  });
}

async function chooseOnlyHirer(context: RequestContext, gate: HirerGate): Promise<string> {
  const [only, ...others] = await gate.hirersOf(context.endUser, context);
  if (!only) throw new BffError('hirer_forbidden');
  if (others.length === 0) return only.hirerId;
  throw new BffError('invalid_request', {
    detail: 'You belong to several hirers: name one in X-Hirer-Id.',
  });
}

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
