import { IsOptional, ValidateBy } from 'class-validator';
import { validate } from '../errors/validate.js';
import { isStorable } from '../storage/storable-text.js';
import type { AuditFilter } from './audit-record.js';

/** A text, given once, that `test` accepts. */
const IsText = (test: (text: string) => boolean, message: string) =>
  ValidateBy({
    name: 'isText',
    validator: {
      validate: (value) => typeof value === 'string' && test(value),
      defaultMessage: () => message,
    },
  });

const IsStorable = () => IsText(isStorable, 'must be a text, given once');
const IsTime = () => IsText((text) => Date.parse(text) >= 0, 'must be a time in ISO 8601');

class AuditQuery {
  @IsOptional() @IsStorable() user?: string;
  @IsOptional() @IsStorable() hirer?: string;
  @IsOptional() @IsStorable() outcome?: string;
  @IsOptional() @IsStorable() action?: string;
  @IsOptional() @IsStorable() request?: string;
  @IsOptional() @IsTime() since?: string;
  @IsOptional() @IsTime() until?: string;

  @IsOptional()
  @IsText((text) => /^\d{1,15}$/.test(text), 'must be the `next` of a page')
  after?: string;
}

/** The filter of `GET /audit`. @throws BffError `invalid_request` */
export function readAuditFilter(query: Record<string, unknown>): AuditFilter {
  const { since, until, after, ...texts } = validate(AuditQuery, query);
  return {
    ...texts,
    since: since === undefined ? undefined : Date.parse(since),
    until: until === undefined ? undefined : Date.parse(until),
    after: after === undefined ? undefined : Number(after),
  };
}
