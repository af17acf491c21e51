import type { RequestContext } from '../request-context.js';
import type { OutgoingRequest } from './exchange.js';
import type { HttpClient } from './http-client.js';

export class StatusFault extends Error {
  constructor(readonly status: number) {
    super(`answered with status ${status}`);
  }
}

/**
 * The parsed JSON of a 200.
 * @throws ExchangeFault; StatusFault for another status, a redirect too; Error for what is no JSON, without its text
 */
export async function requestJson(
  client: HttpClient,
  request: OutgoingRequest,
  context: RequestContext,
): Promise<unknown> {
  request.headers['accept'] = 'application/json';
  const { status, body } = await client.send(request, context);
  if (status !== 200) throw new StatusFault(status);
  try {
    return JSON.parse(new TextDecoder().decode(body)); // without a byte order mark
  } catch {
    throw new Error('answered with a body that is not JSON');
  }
}
