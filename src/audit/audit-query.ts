import { IsOptional } from 'class-validator';
import { validate } from '../errors/validate.js';
import { sequenceOf, IsSequence, IsStorable, IsTime, timeOf } from '../storage/listing-query.js';
import type { AuditFilter } from './audit-record.js';

class AuditQuery {
  @IsOptional() @IsStorable() user?: string;
  @IsOptional() @IsStorable() hirer?: string;
  @IsOptional() @IsStorable() outcome?: string;
  @IsOptional() @IsStorable() action?: string;
  @IsOptional() @IsStorable() request?: string;
  @IsOptional() @IsTime() since?: string;
  @IsOptional() @IsTime() until?: string;
  @IsOptional() @IsSequence() after?: string;
}

/** The filter of `GET /audit`. @throws BffError `invalid_request` */
export function readAuditFilter(query: Record<string, unknown>): AuditFilter {
  const { since, until, after, ...texts } = validate(AuditQuery, query);
  return { ...texts, since: timeOf(since), until: timeOf(until), after: sequenceOf(after) };
}
