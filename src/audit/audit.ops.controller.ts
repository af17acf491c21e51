import { Readable } from 'node:stream';
import { Get, Query, Res } from '@nestjs/common';
import { IsOptional, Matches } from 'class-validator';
import type { FastifyReply } from 'fastify';
import { Is, validate } from '../errors/validate.js';
import { OpsController } from '../http/incoming/listeners-adapter.js';
import { isStorable, IsStorable, IsTime, timeOf } from '../storage/lists/listing-query.js';
import type { Page } from '../storage/lists/page.js';
import { toView, type AuditFilter, type AuditRecord, type AuditView } from './audit-record.js';
import { AuditTrail } from './audit-trail.js';

const USERS_MAX = 10;

class AuditQuery {
  @IsOptional()
  @Is(isUserList, `must be a string of 1 to ${USERS_MAX} pseudonyms, separated by commas, given once`)
  user?: string;
  @IsOptional() @IsStorable() hirer?: string;
  @IsOptional() @IsStorable() outcome?: string;
  @IsOptional() @IsStorable() action?: string;
  @IsOptional() @IsStorable() request?: string;
  @IsOptional() @IsTime() since?: string;
  @IsOptional() @IsTime() until?: string;
  @IsOptional() @Matches(/^\d{1,15}-\d{1,15}$/, { message: 'must be the next of a page' }) after?: string;
}

@OpsController('audit')
export class AuditController {
  constructor(private readonly trail: AuditTrail) {}

  /**
   * `GET /audit?user&hirer&outcome&action&request&since&until&after`: audit records, latest first, 100 a page: `{items,
   * next}`. `user` takes up to ten pseudonyms, separated by commas.
   */
  @Get()
  async list(@Query() query: Record<string, unknown>): Promise<Page<AuditView>> {
    const { items, next } = await this.trail.list(readAuditFilter(query));
    return { items: items.map(toView), next };
  }

  /** `GET /audit/export?…`: every matching record, one JSON object per line. */
  @Get('export')
  async export(@Query() query: Record<string, unknown>, @Res() reply: FastifyReply): Promise<void> {
    const lines = toLines(this.trail.export(readAuditFilter(query)));
    await reply
      .type('application/x-ndjson')
      .header('content-disposition', 'attachment; filename="audit.ndjson"')
      .send(Readable.from(lines)); // whose failure is an answer of its own while nothing has been sent
  }
}

async function* toLines(records: AsyncIterable<AuditRecord>): AsyncGenerator<string> {
  for await (const record of records) yield `${JSON.stringify(toView(record))}\n`;
}

/** The filter of `GET /audit`. @throws BffError `invalid_request` */
function readAuditFilter(query: Record<string, unknown>): AuditFilter {
  const { user, since, until, ...texts } = validate(AuditQuery, query);
  return { ...texts, users: user?.split(','), since: timeOf(since), until: timeOf(until) };
}

function isUserList(value: unknown): boolean {
  return typeof value === 'string' && isStorable(value) && value.split(',').length <= USERS_MAX;
}
