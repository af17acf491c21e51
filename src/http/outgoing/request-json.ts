import type { RequestContext } from '../request-context.js';
import type { DependencyClient } from './dependency-client.js';
import type { OutgoingRequest } from './exchange.js';

/** A dependency answered with another status than 200. */
export class StatusFault extends Error {
  constructor(readonly status: number) {
    super(`answered with status ${status}`);
  }
}

/**
 * The answer of a dependency with status 200, as parsed JSON.
 * @throws ExchangeFault for a late or oversized answer; StatusFault for any other status, a redirect included; Error for one that is
 *   not JSON. Its message holds nothing of the answer
 */
export async function requestJson(
  client: DependencyClient,
  request: OutgoingRequest,
  context: RequestContext,
): Promise<unknown> {
  request.headers['accept'] = 'application/json';
  const { status, body } = await client.send(client.dependency, request, context);
  if (status !== 200) throw new StatusFault(status);
  return parseJson(body);
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new Error('answered with a body that is not JSON');
  }
}
