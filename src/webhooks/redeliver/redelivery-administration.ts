import { Injectable } from '@nestjs/common';
import { OpsAudit } from '../../audit/ops-audit.js';
import { BffError } from '../../errors/bff-error.js';
import type { Operator } from '../../http/operator.js';
import type { Page } from '../../storage/lists/page.js';
import { EventDeliverer } from '../deliver/event-deliverer.js';
import { EventCounts } from '../store/records/event-counts.js';
import { DEFAULT_SINK, EventSinks } from '../store/event-sinks.js';
import type { Redelivery, RedeliveryFilter } from './redelivery.js';
import { REDELIVERED_EVENTS_MAX, RedeliveryStore } from './redelivery-store.js';
import { RedeliveryWorker } from './redelivery-worker.js';

/** Where a redelivery would go. */
export interface PlannedSink {
  readonly name: string;
  /** Null while nothing says that it fails. */
  readonly fault: string | null;
}

/**
 * Redelivery of all events that match a filter. Starting and cancelling one leaves an audit record, also when it fails.
 */
@Injectable()
export class RedeliveryAdministration {
  constructor(
    private readonly store: RedeliveryStore,
    private readonly worker: RedeliveryWorker,
    private readonly deliverer: EventDeliverer,
    private readonly audit: OpsAudit,
    private readonly sinks: EventSinks,
    private readonly counts: EventCounts,
  ) {}

  /** How many events match. @throws BffError `invalid_request` for more than can be redelivered at once */
  async count(filter: RedeliveryFilter): Promise<number> {
    this.sinks.requireKnown(filter.sink);
    const total = await this.store.count(filter);
    if (total <= REDELIVERED_EVENTS_MAX) return total;
    const events = REDELIVERED_EVENTS_MAX.toLocaleString('en-GB');
    throw new BffError('invalid_request', {
      detail: `More than ${events} events match. Narrow the filter, by a time range for example.`,
    });
  }

  /** The sinks that the events are to go to, each with the sign that it is failing now. */
  async sinksOf({ sink }: RedeliveryFilter): Promise<PlannedSink[]> {
    const { hasDefault, own } = this.sinks.chosen(sink);
    const names = [...(hasDefault ? [DEFAULT_SINK] : []), ...own.map(({ name }) => name)];
    const failed = (await this.counts.backlog()).filter(
      ({ state, count }) => state === 'failed' && count > 0,
    );
    return names.map((name) => {
      const waiting = failed.find((one) => one.sink === name)?.count;
      const stored =
        waiting === undefined ? null : `${waiting} of its events failed and wait for another attempt`;
      return { name, fault: this.deliverer.faultOf(name) ?? stored };
    });
  }

  /** Begins a redelivery. @throws BffError `invalid_request` when it cannot begin: no target, or another one runs */
  start(filter: RedeliveryFilter, asNew: boolean, by: Operator): Promise<Redelivery> {
    const action = { action: 'redelivery.start', subject: textOf(filter, asNew) };
    return this.audit.perform(action, by, async () => {
      this.deliverer.requireTargets();
      await this.count(filter);
      const redelivery = await this.store.start(filter, by.actor, asNew);
      if (!redelivery) {
        throw new BffError('invalid_request', {
          detail: 'Another redelivery is running. Wait until it has ended, or cancel it.',
        });
      }
      this.worker.wake();
      return redelivery;
    });
  }

  /** The latest first. @param after cursor of the page */
  list(after: number | undefined): Promise<Page<Redelivery>> {
    return this.store.list(after);
  }

  /** @throws BffError `not_found` */
  async find(id: string): Promise<Redelivery> {
    return found(await this.store.find(id));
  }

  /** Queues no further event. @throws BffError `not_found` when it is not running */
  cancel(id: string, by: Operator): Promise<Redelivery> {
    const action = { action: 'redelivery.cancel', subject: id };
    return this.audit.perform(action, by, async () => found(await this.store.cancel(id)));
  }
}

function found(redelivery: Redelivery | undefined): Redelivery {
  if (redelivery) return redelivery;
  throw new BffError('not_found', { detail: 'There is no such redelivery, or it is not running any more.' });
}

/** The events to redeliver, as the audit record names them. */
function textOf({ since, until, ...texts }: RedeliveryFilter, asNew: boolean): string {
  const times = {
    since: since && new Date(since).toISOString(),
    until: until && new Date(until).toISOString(),
  };
  const parts = Object.entries({ ...texts, ...times, asNew: asNew ? 'true' : undefined }).filter(
    ([, value]) => value !== undefined,
  );
  return parts.map(([name, value]) => `${name}=${value}`).join(' ');
}
