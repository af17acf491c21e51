import { CommandFault, counted, MISUSED } from '../command.js';
import type { StoreRoutes } from '../store/store-routes.js';
import { REQUESTS } from './subscription-documents.js';
import { timeOf } from './replay.js';
import { TEXT, type Values } from '../read-arguments.js';
import { CHOICE, select, type Subscription, type SubscriptionsContext } from './upstream-subscriptions.js';

/** The upstream sends an event soon after it happens, and our clock may differ from its. */
const EARLIER_MS = 3_600_000;
const DAY_MS = 86_400_000;
const MISSING = 1;

export const REQUESTED = { ...CHOICE, since: TEXT, until: TEXT } as const;

interface SentRequest {
  readonly requestId: string;
  readonly createDateTime: string;
  /** `Success`, `BadResponse`, `InvalidUrl` or `RequestTimeout`. */
  readonly descriptionCode: string;
  readonly statusCode: number;
  readonly attempts: readonly {
    readonly event: { readonly id: { readonly value: string }; readonly typeCode: string };
  }[];
}

/**
 * `requests`: what the upstream says that it sent, and what it was answered, beside what the service received. The events
 * that it sent and the service never stored come last.
 * @returns the exit code: 1 if there are any
 */
export async function listRequests(
  { upstream, now, print }: SubscriptionsContext,
  service: StoreRoutes,
  { since, until, ...choice }: Values<typeof REQUESTED>,
): Promise<number> {
  const end = until === undefined ? undefined : timeOf('--until', until);
  const begin = since === undefined ? (end ?? now()) - DAY_MS : timeOf('--since', since);
  const chosen = select(await upstream.list(), choice);
  if (chosen.length === 0) throw new CommandFault('No subscription matches.', MISUSED);
  const filter = { afterDateTime: iso(begin), ...(end !== undefined && { beforeDateTime: iso(end) }) };
  const ask = ({ id: subscriptionId }: Subscription): Promise<SentRequest[]> =>
    upstream.all(REQUESTS, { subscriptionId, filter }, 'webhookRequestsForSubscription');
  const requests = (await Promise.all(chosen.map(ask))).flat();
  requests.sort((one, other) => Date.parse(one.createDateTime) - Date.parse(other.createDateTime));
  const events = requests.flatMap(({ attempts }) => attempts.map(({ event }) => event));
  const types = new Map(events.map(({ id, typeCode }) => [id.value, typeCode]));
  const known = await receivedAmong([...types.keys()], iso(begin - EARLIER_MS), service);
  for (const { createDateTime, descriptionCode, statusCode, attempts, requestId } of requests) {
    const count = attempts.filter(({ event }) => known.has(event.id.value)).length;
    const received = `${count} of ${counted(attempts.length, 'event')} received`;
    print([createDateTime, descriptionCode, statusCode, received, requestId].join('\t'));
  }
  const missing = [...types].filter(([id]) => !known.has(id));
  for (const [eventId, type] of missing) {
    print(`never received\t${type}\t${eventId}`);
  }
  const sent = `${counted(requests.length, 'request')} with ${counted(types.size, 'event')}`;
  print(`${sent}; ${counted(missing.length, 'event')} never received.`);
  return missing.length > 0 ? MISSING : 0;
}

const iso = (ms: number): string => new Date(ms).toISOString();

/** The ids that the service has stored: looked for in what came since a time, and one by one in what came before. */
async function receivedAmong(ids: readonly string[], since: string, service: StoreRoutes) {
  const known = new Set<string>();
  const note = async (query: Readonly<Record<string, string>>): Promise<void> => {
    const list = service.list<{ id: string }>('/events', { payload: 'false', ...query });
    for await (const { id } of list) known.add(id);
  };
  if (ids.length > 0) await note({ since });
  for (const id of ids) if (!known.has(id)) await note({ id });
  return known;
}
