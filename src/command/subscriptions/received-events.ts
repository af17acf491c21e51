import type { RunningService } from '../store/running-service.js';

/** The upstream sends an event soon after it happens; our clock may differ from its. */
const EARLIER_MS = 3_600_000;

/** The events that the service has stored, by its ops listener. */
export class ReceivedEvents {
  constructor(private readonly service: RunningService) {}

  /**
   * The ids that the service knows among these: of what came since a time, and one by one of what came before.
   * @throws CommandFault when the ops listener gives no answer
   */
  async among(ids: readonly string[], since: string): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set();
    const recent = await this.idsOf({ since: new Date(Date.parse(since) - EARLIER_MS).toISOString() });
    const known = new Set(ids.filter((id) => recent.has(id)));
    for (const id of ids) if (!known.has(id) && (await this.idsOf({ id })).has(id)) known.add(id);
    return known;
  }

  private async idsOf(query: Record<string, string>): Promise<ReadonlySet<string>> {
    const ids = new Set<string>();
    const events = this.service.list<{ id: string }>('/events', { payload: 'false', ...query });
    for await (const { id } of events) ids.add(id);
    return ids;
  }
}
