import { Delete, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OpsController } from '../http/ops-controller.js';
import type { Page } from '../storage/page.js';
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
import { RedeliveryAdministration } from './redeliver/redelivery-administration.js';
import type { Redelivery } from './redeliver/redelivery.js';
import type { EventRecord } from './store/event-records.js';
import type { RelationshipChange } from './store/relationship-changes.js';

type Texts = Record<string, unknown>;

/** The event routes of the ops listener. */
@OpsController()
export class EventsController {
  constructor(
    private readonly administration: EventAdministration,
    private readonly redeliveries: RedeliveryAdministration,
  ) {}

  /** `GET /events?state&type&hirer&id&since&until&payload&after`, the latest first. */
  @Get('events')
  list(@Query() query: Texts): Promise<Page<EventRecord>> {
    return this.administration.list(readEventFilter(query));
  }

  /** `POST /events/redeliver`: how many events match (`dryRun`), or the redelivery that has begun. */
  @Post('events/redeliver')
  async redeliverAll(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Redelivery | { dryRun: true; total: number }> {
    const { filter, asNew, dryRun } = readRedelivery(request.body);
    reply.status(dryRun ? 200 : 202);
    if (dryRun) return { dryRun, total: await this.redeliveries.count(filter) };
    return this.redeliveries.start(filter, asNew, operatorOf(request));
  }

  /** `GET /events/redeliveries?after`, the latest first. */
  @Get('events/redeliveries')
  listRedeliveries(@Query() query: Texts): Promise<Page<Redelivery>> {
    return this.redeliveries.list(readAfterRedelivery(query));
  }

  /** `GET /events/redeliveries/{id}`: how far it is. */
  @Get('events/redeliveries/:id')
  findRedelivery(@Param('id') id: string): Promise<Redelivery> {
    return this.redeliveries.find(readIdentifier(id));
  }

  /** `DELETE /events/redeliveries/{id}`: no further event is queued. */
  @Delete('events/redeliveries/:id')
  cancelRedelivery(@Param('id') id: string, @Req() request: FastifyRequest): Promise<Redelivery> {
    return this.redeliveries.cancel(readIdentifier(id), operatorOf(request));
  }

  /** `GET /events/{id}`: one event with its payload; leaves an audit record. */
  @Get('events/:id')
  view(@Param('id') id: string, @Req() request: FastifyRequest): Promise<EventRecord> {
    return this.administration.view(readIdentifier(id), operatorOf(request));
  }

  /** `POST /events/{id}/redeliver`: queued when it answers, delivered soon after. */
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
