import { Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OpsAudit, type OpsAction } from '../audit/ops-audit.js';
import { BffError } from '../errors/bff-error.js';
import { operatorOf, type Operator } from '../http/operator.js';
import { OpsController } from '../http/incoming/listeners-adapter.js';
import type { Page } from '../storage/lists/page.js';
import { DeliveryWorkers } from './deliver/delivery-workers.js';
import { readEventFilter, readIdentifier, readRedelivery, readRedeliveryWish } from './events.ops.dto.js';
import { EventSinks } from './store/event-sinks.js';
import { EventRecords, type EventRecord, type EventWithAttempts } from './store/event-records.js';
import { EventRedelivery, type RedeliveryFilter } from './store/redeliver-events.js';

/**
 * The event routes of the ops listener. Each action leaves an audit record, also when it fails, and so does a look at one
 * event.
 */
@OpsController()
export class EventsController {
  constructor(
    private readonly records: EventRecords,
    private readonly redelivery: EventRedelivery,
    private readonly workers: DeliveryWorkers,
    private readonly sinks: EventSinks,
    private readonly audit: OpsAudit,
  ) {}

  /**
   * `GET /events?state&type&hirer&id&since&until&payload&after`: events, latest first. `payload=false` omits payloads.
   */
  @Get('events')
  list(@Query() query: Record<string, unknown>): Promise<Page<EventRecord>> {
    return this.records.list(readEventFilter(query));
  }

  /**
   * `POST /events/redeliver` `{state, type, hirer, sink, since, until, asNew, dryRun}`: redelivers all that match the
   * whole filter, which has a state, type, hirer, since or until, or with `dryRun` says how many these are.
   */
  @Post('events/redeliver')
  async redeliverAll(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ total: number; sinks?: string[] }> {
    const { filter, asNew, dryRun } = readRedelivery(request.body);
    reply.status(dryRun ? 200 : 202);
    if (dryRun) {
      const sinks = this.sinks.chosen(filter.sink).map(({ name }) => name);
      return { total: await this.redelivery.count(filter), sinks };
    }
    const action = { action: 'redelivery.start', subject: textOf({ ...filter, asNew }) };
    return this.audit.perform(action, operatorOf(request), async () => {
      const total = await this.redelivery.redeliverAll(filter, asNew);
      this.workers.wake();
      return { total };
    });
  }

  /** `GET /events/{id}`: one event with its payload and `history`. Audited. */
  @Get('events/:id')
  view(@Param('id') id: string, @Req() request: FastifyRequest): Promise<EventWithAttempts> {
    const eventId = readIdentifier(id);
    const action = { action: 'event.view', subject: eventId };
    return this.perform(action, operatorOf(request), () => this.find(eventId));
  }

  /** `POST /events/{id}/redeliver` `{asNew, sink}`: redelivers one, soon after the answer. The body may be left out. */
  @Post('events/:id/redeliver')
  @HttpCode(202)
  redeliver(@Param('id') id: string, @Req() request: FastifyRequest): Promise<EventRecord> {
    const eventId = readIdentifier(id);
    const { asNew, sink } = readRedeliveryWish(request.body);
    const subject = [eventId, textOf({ sink, asNew })].join(' ').trim();
    return this.perform({ action: 'event.redeliver', subject }, operatorOf(request), async () => {
      await this.redelivery.redeliver(eventId, asNew, sink);
      this.workers.wake();
      return { ...(await this.find(eventId)), history: undefined };
    });
  }

  private async find(id: string): Promise<EventWithAttempts> {
    const event = await this.records.find(id);
    if (!event) throw new BffError('not_found');
    return event;
  }

  /** Does something to one event; the audit record names the hirer of the event. */
  private perform<T extends EventRecord>(action: OpsAction, by: Operator, work: () => Promise<T>) {
    const done = ({ hirerId }: T): OpsAction[] => [{ ...action, hirerId: hirerId ?? undefined }];
    return this.audit.perform(action, by, work, done);
  }
}

/** What is redelivered, as the audit record names it: what was chosen, times as ISO 8601. */
function textOf(wish: Partial<RedeliveryFilter> & { readonly asNew: boolean }): string {
  return Object.entries(wish)
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([name, value]) => `${name}=${typeof value === 'number' ? new Date(value).toISOString() : value}`)
    .join(' ');
}
