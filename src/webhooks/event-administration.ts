import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { BffError } from '../errors/bff-error.js';
import type { OpsAction } from '../http/ops-action.js';
import type { Page } from '../storage/page.js';
import { EventActions } from './event-actions.js';
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
    private readonly actions: EventActions,
  ) {}

  /** A page of events, the latest first. */
  list(filter: EventFilter): Promise<Page<EventRecord>> {
    return this.records.list(filter);
  }

  /** One event with its payload; who looked is in the audit trail. @throws BffError `not_found` */
  view(id: string, by: OpsAction): Promise<EventRecord> {
    return this.actions.perform({ action: 'event.view', subject: id, ...by }, async () => {
      const result = await this.records.find(id);
      if (!result) throw new BffError('not_found');
      return { result, hirerId: result.hirerId };
    });
  }

  /** A page of hirers to review. @param after the last hirer id of the previous page */
  listRelationships(after: string | undefined): Promise<Page<RelationshipChange>> {
    return this.relationships.list(after);
  }

  /**
   * Queues an event for delivery.
   * @param asNew under a new `webhook-id`, so that a receiver that drops repeats handles it again
   * @throws BffError `not_found`; `invalid_request` without any target
   */
  async redeliver(id: string, asNew: boolean, by: OpsAction): Promise<EventRecord> {
    const subject = asNew ? `${id} asNew=true` : id;
    return this.actions.perform({ action: 'event.redeliver', subject, ...by }, async () => {
      this.actions.requireTargets();
      const result = await this.records.redeliver(id, asNew ? `redelivery:${randomUUID()}` : undefined);
      if (result.kind === 'queued') {
        this.actions.wakeDeliverer();
        return { result: result.event, hirerId: result.event.hirerId };
      }
      const detail = result.kind === 'purged' ? 'The payload of this event has been deleted.' : undefined;
      throw new BffError('not_found', detail === undefined ? {} : { detail });
    });
  }

  /** Marks a changed relationship as reviewed. @throws BffError `not_found` */
  async settleRelationship(hirerId: string, by: OpsAction): Promise<void> {
    await this.actions.perform({ action: 'relationship.settle', ...by }, async () => {
      if (!(await this.relationships.settle(hirerId))) throw new BffError('not_found');
      return { result: undefined, hirerId };
    });
  }
}
