import { CommandFault, counted, MISUSED } from '../command.js';
import type { StoreRoutes } from '../store/store-routes.js';
import { ATTEMPTS, REQUESTS } from './subscription-documents.js';
import type { Subscription, SubscriptionsContext } from './upstream-subscriptions.js';

/** The upstream sends an event soon after it happens, and our clock may differ from its. */
const EARLIER_MS = 3_600_000;

/** A span of time, ISO 8601; without an end, it lasts. */
export interface Span {
  readonly since: string;
  readonly until: string | undefined;
}

interface Attempted {
  readonly event: { readonly id: { readonly value: string }; readonly typeCode: string };
}

interface SentRequest {
  readonly requestId: string;
  readonly createDateTime: string;
  /** `Success`, `BadResponse`, `InvalidUrl` or `RequestTimeout`. */
  readonly descriptionCode: string;
  readonly statusCode: number;
  readonly attempts: readonly Attempted[];
}

/**
 * `requests`: what the upstream says that it sent, and what it was answered, beside what the service received. The events
 * that it sent and the service never stored come last, each with its attempts.
 * @returns how many these are
 */
export async function listRequests(
  { upstream, print }: SubscriptionsContext,
  service: StoreRoutes,
  chosen: readonly Subscription[],
  { since, until }: Span,
): Promise<number> {
  if (chosen.length === 0) throw new CommandFault('No subscription matches.', MISUSED);
  const filter = { afterDateTime: since, ...(until !== undefined && { beforeDateTime: until }) };
  const requests: SentRequest[] = [];
  for (const { id: subscriptionId } of chosen) {
    const variables = { subscriptionId, filter };
    requests.push(
      ...(await upstream.all<SentRequest>(REQUESTS, variables, 'webhookRequestsForSubscription')),
    );
  }
  requests.sort((one, other) => Date.parse(one.createDateTime) - Date.parse(other.createDateTime));
  const events = requests.flatMap(({ attempts }) => attempts.map(({ event }) => event));
  const types = new Map(events.map(({ id, typeCode }) => [id.value, typeCode]));
  const known = await receivedAmong([...types.keys()], since, service);
  for (const request of requests) {
    const count = request.attempts.filter(({ event }) => known.has(event.id.value)).length;
    print(rowOf(request, `${count} of ${counted(request.attempts.length, 'event')} received`));
  }
  const missing = [...types].filter(([id]) => !known.has(id));
  for (const [eventId, type] of missing) {
    print(`never received\t${type}\t${eventId}`);
    type Attempt = { readonly webhookRequest: SentRequest };
    const attempts = await upstream.all<Attempt>(ATTEMPTS, { eventId }, 'webhookAttemptsForEvent');
    for (const { webhookRequest } of attempts) print(`\t${rowOf(webhookRequest)}`);
  }
  const sent = `${counted(requests.length, 'request')} with ${counted(types.size, 'event')}`;
  print(`${sent}; ${counted(missing.length, 'event')} never received.`);
  return missing.length;
}

function rowOf(request: SentRequest, ...more: string[]): string {
  const { createDateTime, descriptionCode, statusCode, requestId } = request;
  return [createDateTime, descriptionCode, statusCode, ...more, requestId].join('\t');
}

/** The ids that the service has stored: looked for in what came since a time, and one by one in what came before. */
async function receivedAmong(ids: readonly string[], since: string, service: StoreRoutes) {
  const known = new Set<string>();
  const note = async (query: Readonly<Record<string, string>>): Promise<void> => {
    const list = service.list<{ id: string }>('/events', { payload: 'false', ...query });
    for await (const { id } of list) known.add(id);
  };
  if (ids.length > 0) await note({ since: new Date(Date.parse(since) - EARLIER_MS).toISOString() });
  for (const id of ids) if (!known.has(id)) await note({ id });
  return known;
}
