import type { IncomingMessage } from 'node:http';
import { BffError } from '../errors/bff-error.js';
import type { HirerAccess } from '../hirer-access/hirer-access.js';
import { isHirerId } from '../hirer-access/membership.js';
import { NO_HIRER } from '../http/end-user.js';
import { isRepeated } from '../http/request-context.js';
import type { RequestContext } from '../http/request-context.js';

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
  access: HirerAccess,
): string | Promise<string> {
  const header = headers[HEADER];
  if (header === undefined) {
    return context.endUser.isMachine ? NO_HIRER : chooseOnlyHirer(context, access);
  }
  if (isRepeated(HEADER, rawHeaders)) {
    throw new BffError('invalid_request', { detail: 'X-Hirer-Id must be given once.' });
  }
  if (isHirerId(header)) return header;
  throw new BffError('invalid_request', {
    detail: 'X-Hirer-Id must be a hirer object identifier of 1 to 255 bytes.',
  });
}

async function chooseOnlyHirer(context: RequestContext, access: HirerAccess): Promise<string> {
  const [only, ...others] = await access.list(context.endUser, context);
  if (!only) throw new BffError('hirer_forbidden');
  if (others.length === 0) return only.hirerId;
  throw new BffError('invalid_request', {
    detail: 'You belong to several hirers: name one in X-Hirer-Id.',
  });
}
