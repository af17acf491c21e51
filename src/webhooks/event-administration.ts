import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { OpsAudit, type OpsAction } from '../audit/ops-audit.js';
import { BffError } from '../errors/bff-error.js';
import type { Operator } from '../http/operator.js';
import type { Page } from '../storage/lists/page.js';
import { EventDeliverer } from './deliver/event-deliverer.js';
import { EventRecords, type EventRecord, type EventWithAttempts } from './store/records/event-records.js';
import type { EventFilter } from './store/records/event-page.js';
import { EventSinks } from './store/event-sinks.js';
import type { RedeliveryWish } from './event-requests.js';
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
    private readonly audit: OpsAudit,
    private readonly sinks: EventSinks,
  ) {}

  /** A page of events, the latest first. */
  list(filter: EventFilter): Promise<Page<EventRecord>> {
    return this.records.list(filter);
  }

  /** One event with its payload and the latest attempts to deliver it; who looked is in the audit trail. @throws BffError `not_found` */
  view(id: string, by: Operator): Promise<EventWithAttempts> {
    return this.perform({ action: 'event.view', subject: id }, by, async () => {
      const event = await this.records.find(id);
      if (!event) throw new BffError('not_found');
      return event;
    });
  }

  /** A page of hirers to review. @param after the last hirer id of the previous page */
  listRelationships(after: string | undefined): Promise<Page<RelationshipChange>> {
    return this.relationships.list(after);
  }

  /**
   * Queues an event for delivery, to every sink or to one.
   * @param asNew under a new `webhook-id`, so that a receiver that drops repeats handles it again
   * @throws BffError `not_found`; `invalid_request` without any target, or where the sink does not take the event
   */
  async redeliver(id: string, { asNew, sink }: RedeliveryWish, by: Operator): Promise<EventRecord> {
    const subject = [
      id,
      ...(sink === undefined ? [] : [`sink=${sink}`]),
      ...(asNew ? ['asNew=true'] : []),
    ].join(' ');
    return this.perform({ action: 'event.redeliver', subject }, by, async () => {
      this.deliverer.requireTargets();
      this.sinks.requireKnown(sink);
      const newId = asNew ? `redelivery:${randomUUID()}` : undefined;
      const result = await this.records.redeliver(id, newId, sink);
      if (result.kind === 'queued') {
        this.deliverer.wake();
        return result.event;
      }
      if (result.kind === 'unwanted') {
        const message = 'does not take events of this type or hirer';
        throw new BffError('invalid_request', { errors: [{ field: 'sink', message }] });
      }
      const detail = result.kind === 'purged' ? 'The payload of this event has been deleted.' : undefined;
      throw new BffError('not_found', detail === undefined ? {} : { detail });
    });
  }

  /** Marks a changed relationship as reviewed. @throws BffError `not_found` */
  async settleRelationship(hirerId: string, by: Operator): Promise<void> {
    await this.audit.perform({ action: 'relationship.settle', hirerId }, by, async () => {
      if (!(await this.relationships.settle(hirerId))) throw new BffError('not_found');
    });
  }

  /** Does something to one event; the record names the hirer of the event. */
  private perform<T extends EventRecord>(
    action: OpsAction,
    by: Operator,
    work: () => Promise<T>,
  ): Promise<T> {
    return this.audit.perform(action, by, work, ({ hirerId }) => [
      { ...action, hirerId: hirerId ?? undefined },
    ]);
  }
}
