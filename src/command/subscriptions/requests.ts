import { CommandFault, counted, MISUSED } from '../command.js';
import { select, type CommandContext, type Selection } from './command-context.js';
import type { SentRequest, Span } from './upstream-subscriptions.js';

/**
 * `requests`: what the upstream says that it sent, and what it was answered, beside what the service received. The events
 * that it sent and the service never stored come last, each with its attempts.
 * @returns how many these are
 */
export async function listRequests(
  context: CommandContext,
  selection: Selection,
  span: Span,
): Promise<number> {
  const { upstream, received, print } = context;
  const chosen = select(await upstream.list(), selection);
  if (chosen.length === 0) throw new CommandFault('No subscription matches.', MISUSED);
  const requests: SentRequest[] = [];
  for (const { id } of chosen) requests.push(...(await upstream.requests(id, span)));
  requests.sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
  const types = new Map(requests.flatMap(({ events }) => events.map(({ id, type }) => [id, type] as const)));
  const known = await received.among([...types.keys()], span.since);
  for (const request of requests) print(lineOf(request, known));
  const missing = [...types.keys()].filter((id) => !known.has(id));
  for (const id of missing) await printMissing(context, id, types.get(id)!);
  print(
    `${counted(requests.length, 'request')} with ${counted(types.size, 'event')}; ${counted(missing.length, 'event')} never received.`,
  );
  return missing.length;
}

function lineOf({ at, outcome, status, requestId, events }: SentRequest, known: ReadonlySet<string>): string {
  const count = events.filter(({ id }) => known.has(id)).length;
  return [at, outcome, status, `${count} of ${counted(events.length, 'event')} received`, requestId].join(
    '\t',
  );
}

async function printMissing({ upstream, print }: CommandContext, id: string, type: string): Promise<void> {
  print(`never received\t${type}\t${id}`);
  for (const { at, outcome, status, requestId } of await upstream.attempts(id)) {
    print(['', at, outcome, status, requestId].join('\t'));
  }
}
