import { Delete, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OpsController } from '../http/ops-controller.js';
import type { Page } from '../storage/lists/page.js';
import { operatorOf } from '../http/operator.js';
import { EventAdministration } from './event-administration.js';
import {
  readAfterHirer,
  readAfterRedelivery,
  readEventFilter,
  readIdentifier,
  readRedelivery,
  readRedeliveryWish,
} from './event-requests.js';
import { RedeliveryAdministration, type PlannedSink } from './redeliver/redelivery-administration.js';
import type { Redelivery } from './redeliver/redelivery.js';
import type { EventRecord, EventWithAttempts } from './store/records/event-records.js';
import type { RelationshipChange } from './store/relationship-changes.js';

type Texts = Record<string, unknown>;

/** What a redelivery would do. */
interface RedeliveryPlan {
  readonly dryRun: true;
  readonly total: number;
  readonly sinks: readonly PlannedSink[];
}

/** The event routes of the ops listener. */
@OpsController()
export class EventsController {
  constructor(
    private readonly administration: EventAdministration,
    private readonly redeliveries: RedeliveryAdministration,
  ) {}

  /** `GET /events?state&type&hirer&id&since&until&payload&after`: a page of events, the latest first. */
  @Get('events')
  list(@Query() query: Texts): Promise<Page<EventRecord>> {
    return this.administration.list(readEventFilter(query));
  }

  /**
   * `POST /events/redeliver`: redelivers all events that match. Answers with their number (`dryRun`), or the redelivery that
   * has begun.
   */
  @Post('events/redeliver')
  async redeliverAll(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Redelivery | RedeliveryPlan> {
    const { filter, asNew, dryRun } = readRedelivery(request.body);
    reply.status(dryRun ? 200 : 202);
    if (dryRun) {
      const sinks = await this.redeliveries.sinksOf(filter);
      return { dryRun, total: await this.redeliveries.count(filter), sinks };
    }
    return this.redeliveries.start(filter, asNew, operatorOf(request));
  }

  /** `GET /events/redeliveries?after`: a page of redeliveries, the latest first. */
  @Get('events/redeliveries')
  listRedeliveries(@Query() query: Texts): Promise<Page<Redelivery>> {
    return this.redeliveries.list(readAfterRedelivery(query));
  }

  /** `GET /events/redeliveries/{id}`: how far a redelivery is. */
  @Get('events/redeliveries/:id')
  findRedelivery(@Param('id') id: string): Promise<Redelivery> {
    return this.redeliveries.find(readIdentifier(id));
  }

  /** `DELETE /events/redeliveries/{id}`: ends a redelivery. No further event is queued. */
  @Delete('events/redeliveries/:id')
  cancelRedelivery(@Param('id') id: string, @Req() request: FastifyRequest): Promise<Redelivery> {
    return this.redeliveries.cancel(readIdentifier(id), operatorOf(request));
  }

  /** `GET /events/{id}`: one event with its payload and attempts; leaves an audit record. */
  @Get('events/:id')
  view(@Param('id') id: string, @Req() request: FastifyRequest): Promise<EventWithAttempts> {
    return this.administration.view(readIdentifier(id), operatorOf(request));
  }

  /** `POST /events/{id}/redeliver`: redelivers one event. It is queued when this answers, and delivered soon after. */
  @Post('events/:id/redeliver')
  @HttpCode(202)
  redeliver(@Param('id') id: string, @Req() request: FastifyRequest): Promise<EventRecord> {
    return this.administration.redeliver(
      readIdentifier(id),
      readRedeliveryWish(request.body),
      operatorOf(request),
    );
  }

  /** `GET /relationships?after`: relationship changes awaiting review. */
  @Get('relationships')
  relationships(@Query() query: Texts): Promise<Page<RelationshipChange>> {
    return this.administration.listRelationships(readAfterHirer(query));
  }

  /** `DELETE /relationships/{hirerId}`: marks the change as reviewed. */
  @Delete('relationships/:hirerId')
  @HttpCode(204)
  settle(@Param('hirerId') hirerId: string, @Req() request: FastifyRequest): Promise<void> {
    return this.administration.settleRelationship(readIdentifier(hirerId), operatorOf(request));
  }
}
