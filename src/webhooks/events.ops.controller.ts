import { Controller, Delete, Get, HttpCode, Inject, Param, Post, Query, Req } from '@nestjs/common';
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
  constructor(@Inject(EventAdministration) private readonly administration: EventAdministration) {}

  /** `GET /events?state&type&hirer&after`, latest first. */
  @Get('events')
  list(@Query() query: Record<string, unknown>): Promise<Page<EventRecord>> {
    return this.administration.records.list(readEventFilter(query));
  }

  /** `POST /events/{id}/redeliver`: queued at once, delivered soon. */
  @Post('events/:id/redeliver')
  @HttpCode(202)
  redeliver(@Param('id') id: string, @Req() request: FastifyRequest): Promise<EventRecord> {
    return this.administration.redeliver(readIdentifier(id), opsActionOf(request));
  }

  /** `GET /relationships?after`: hirers whose relationship changed since somebody looked. */
  @Get('relationships')
  relationships(@Query() query: Record<string, unknown>): Promise<Page<RelationshipChange>> {
    return this.administration.relationships.list(readAfterHirer(query));
  }

  /** `DELETE /relationships/{hirerId}`: somebody has looked. */
  @Delete('relationships/:hirerId')
  @HttpCode(204)
  settle(@Param('hirerId') hirerId: string, @Req() request: FastifyRequest): Promise<void> {
    return this.administration.settleRelationship(readIdentifier(hirerId), opsActionOf(request));
  }
}
