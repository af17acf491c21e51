import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.js';
import { Default } from '../config/default.js';
import { BffError } from '../errors/bff-error.js';
import { toBffError } from '../errors/to-bff-error.js';
import type { OpsAction } from '../http/ops-action.js';
import type { Page } from '../storage/page.js';
import { orUnavailable } from '../storage/unavailable.js';
import { EventDeliverer } from './deliver/event-deliverer.js';
import { EventRecords, type EventFilter, type EventRecord } from './store/event-records.js';
import { RelationshipChanges, type RelationshipChange } from './store/relationship-changes.js';

/**
 * The operator's view of events, and actions on them. Each action leaves an audit record, also when it fails. While the
 * database is down everything throws BffError `unavailable`.
 */
@Injectable()
export class EventAdministration {
  constructor(
    private readonly records: EventRecords,
    private readonly relationships: RelationshipChanges,
    private readonly deliverer: EventDeliverer,
    private readonly audit: AuditTrail,
    @Default() private readonly now: () => number = Date.now,
  ) {}

  /** A page of events, the latest first. */
  list(filter: EventFilter): Promise<Page<EventRecord>> {
    return orUnavailable(() => this.records.list(filter));
  }

  /** A page of hirers to review. @param after the last hirer id of the previous page */
  listRelationships(after: string | undefined): Promise<Page<RelationshipChange>> {
    return orUnavailable(() => this.relationships.list(after));
  }

  /** Queues an event for delivery. @throws BffError `not_found`; `invalid_request` without any target */
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
      const detail = result.kind === 'purged' ? 'The payload of this event has been deleted.' : undefined;
      throw new BffError('not_found', detail === undefined ? {} : { detail });
    });
  }

  /** Marks a changed relationship as reviewed. @throws BffError `not_found` */
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
      const { result, hirerId } = await orUnavailable(work);
      record('ok', hirerId ?? undefined);
      return result;
    } catch (error) {
      record(toBffError(error).code);
      throw error;
    }
  }
}
