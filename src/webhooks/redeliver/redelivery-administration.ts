import { Injectable } from '@nestjs/common';
import { OpsAudit } from '../../audit/ops-audit.js';
import { BffError } from '../../errors/bff-error.js';
import type { Operator } from '../../http/operator.js';
import type { Page } from '../../storage/page.js';
import { EventDeliverer } from '../deliver/event-deliverer.js';
import { EventSinks } from '../store/event-sinks.js';
import type { Redelivery, RedeliveryFilter } from './redelivery.js';
import { REDELIVERED_EVENTS_MAX, RedeliveryStore } from './redelivery-store.js';
import { RedeliveryWorker } from './redelivery-worker.js';

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
