import { Controller, Delete, Get, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Page } from '../storage/page.js';
import { opsActionOf } from '../http/ops-action.js';
import { EventAdministration } from './event-administration.js';
import { readAfterHirer, readEventFilter, readIdentifier } from './event-requests.js';
import type { EventRecord } from './store/event-records.js';
import type { RelationshipChange } from './store/relationship-changes.js';

/** The event routes of the ops listener. */
@Controller()
export class EventsController {
  constructor(private readonly administration: EventAdministration) {}

  /** `GET /events?state&type&hirer&after`, the latest first. */
  @Get('events')
  list(@Query() query: Record<string, unknown>): Promise<Page<EventRecord>> {
    return this.administration.list(readEventFilter(query));
  }

  /** `POST /events/{id}/redeliver`: queued when it answers, delivered soon after. */
  @Post('events/:id/redeliver')
  @HttpCode(202)
  redeliver(@Param('id') id: string, @Req() request: FastifyRequest): Promise<EventRecord> {
    return this.administration.redeliver(readIdentifier(id), opsActionOf(request));
  }

  /** `GET /relationships?after`: relationship changes awaiting review. */
  @Get('relationships')
  relationships(@Query() query: Record<string, unknown>): Promise<Page<RelationshipChange>> {
    return this.administration.listRelationships(readAfterHirer(query));
  }

  /** `DELETE /relationships/{hirerId}`: marks the change as reviewed. */
  @Delete('relationships/:hirerId')
  @HttpCode(204)
  settle(@Param('hirerId') hirerId: string, @Req() request: FastifyRequest): Promise<void> {
    return this.administration.settleRelationship(readIdentifier(hirerId), opsActionOf(request));
  }
}
