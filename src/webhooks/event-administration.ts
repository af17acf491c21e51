import { BffError } from '../errors/bff-error.js';
import { toBffError } from '../errors/to-bff-error.js';
import type { AuditTrail } from '../audit/audit-trail.js';
import type { OpsAction } from '../http/ops-action.js';
import type { EventDeliverer } from './deliver/event-deliverer.js';
import type { EventRecord, EventRecords } from './store/event-records.js';
import type { RelationshipChanges } from './store/relationship-changes.js';

/** What ops do with events. Each action leaves an audit record, that of one that failed included. */
export class EventAdministration {
  constructor(
    readonly records: EventRecords,
    readonly relationships: RelationshipChanges,
    private readonly deliverer: EventDeliverer,
    private readonly audit: AuditTrail,
    private readonly now: () => number = Date.now,
  ) {}

  /** @throws BffError `not_found`; `invalid_request` when nobody wants events at all */
  async redeliver(id: string, by: OpsAction): Promise<EventRecord> {
    return this.recorded({ action: 'event.redeliver', subject: id, ...by }, async () => {
      if (!this.deliverer.hasTargets) {
        throw new BffError('invalid_request', {
          detail: 'There is nowhere to deliver to: EVENT_SINK_URL is not set.',
        });
      }
      const result = await this.records.redeliver(id);
      if (result.kind === 'queued') {
        this.deliverer.wake();
        return { result: result.event, hirerId: result.event.hirerId };
      }
      const detail =
        result.kind === 'purged' ? 'The payload of this event is not kept any longer.' : undefined;
      throw new BffError('not_found', detail === undefined ? {} : { detail });
    });
  }

  /** Takes a hirer off the list of changed relationships. @throws BffError `not_found` */
  async settleRelationship(hirerId: string, by: OpsAction): Promise<void> {
    await this.recorded({ action: 'relationship.settle', ...by }, async () => {
      if (!(await this.relationships.settle(hirerId))) throw new BffError('not_found');
      return { result: undefined, hirerId };
    });
  }

  private async recorded<T>(
    action: OpsAction & { readonly action: string; readonly subject?: string },
    work: () => Promise<{ result: T; hirerId: string | null }>,
  ): Promise<T> {
    const record = (outcome: string, hirerId?: string): void =>
      this.audit.record({ time: this.now(), ...action, outcome, hirerId });
    try {
      const { result, hirerId } = await work();
      record('ok', hirerId ?? undefined);
      return result;
    } catch (error) {
      record(toBffError(error).code);
      throw error;
    }
  }
}
