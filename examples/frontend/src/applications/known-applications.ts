import { BffError } from 'partner-bff-client';
import list from './applications.json?url';

/**
 * Applications that your back end knows of an ad, from the events it has received (examples/backend keeps such a table):
 * the upstream has no list of them. Here a file stands in for it; replace it by a request to your back end.
 */
export async function knownApplications(adId: string, signal: AbortSignal): Promise<readonly string[]> {
  const response = await fetch(list, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new BffError('NETWORK_ERROR', 'The list of applications did not arrive.', { cause: error });
  });
  const known = (await response.json()) as Partial<Record<string, string[]>>;
  return known[adId] ?? [];
}
