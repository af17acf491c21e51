import { IsOptional } from 'class-validator';
import { Is } from '../errors/is.js';
import { validate } from '../errors/validate.js';
import { isStorable, IsStorable, IsTime, timeOf } from '../storage/lists/listing-query.js';
import type { AuditFilter } from './audit-record.js';

const USERS_MAX = 10;

class AuditQuery {
  @IsOptional()
  @Is(isUserList, `must be a text of 1 to ${USERS_MAX} pseudonyms, separated by commas, given once`)
  user?: string;
  @IsOptional() @IsStorable() hirer?: string;
  @IsOptional() @IsStorable() outcome?: string;
  @IsOptional() @IsStorable() action?: string;
  @IsOptional() @IsStorable() request?: string;
  @IsOptional() @IsTime() since?: string;
  @IsOptional() @IsTime() until?: string;
  @IsOptional() @Is(isPlace, 'must be the next of a page') after?: string;
}

/** The filter of `GET /audit`. @throws BffError `invalid_request` */
export function readAuditFilter(query: Record<string, unknown>): AuditFilter {
  const { user, since, until, ...texts } = validate(AuditQuery, query);
  return {
    ...texts,
    users: user?.split(','),
    since: timeOf(since),
    until: timeOf(until),
  };
}

function isUserList(value: unknown): boolean {
  return typeof value === 'string' && isStorable(value) && value.split(',').length <= USERS_MAX;
}

function isPlace(value: unknown): boolean {
  return typeof value === 'string' && /^\d{1,15}-\d{1,15}$/.test(value);
}
