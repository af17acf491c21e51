import { IsIn, IsOptional, Matches, ValidateBy } from 'class-validator';
import { BffError } from '../errors/bff-error.js';
import { validate } from '../errors/validate.js';
import { isStorable } from '../storage/storable-text.js';
import type { EventFilter } from './store/event-records.js';
import { EVENT_STATES, type EventState } from './store/webhook-event.js';

/** A text that both databases can store. */
const IsStorable = (message: string) =>
  ValidateBy({
    name: 'isStorable',
    validator: {
      validate: (value) => typeof value === 'string' && isStorable(value),
      defaultMessage: () => message,
    },
  });

class EventQuery {
  @IsOptional()
  @IsIn(EVENT_STATES, { message: `must be one of ${EVENT_STATES.join(', ')}` })
  state?: EventState;

  @IsOptional()
  @IsStorable('must be a text, given once')
  type?: string;

  @IsOptional()
  @IsStorable('must be a text, given once')
  hirer?: string;

  @IsOptional()
  @Matches(/^\d{1,15}$/, { message: 'must be the next of a page' })
  after?: string;
}

class RelationshipQuery {
  @IsOptional()
  @IsStorable('must be the next of a page')
  after?: string;
}

/** The filter of `GET /events`. @throws BffError `invalid_request` */
export function readEventFilter(query: Record<string, unknown>): EventFilter {
  const { state, type, hirer, after } = validate(EventQuery, query);
  return { state, type, hirer, after: after === undefined ? undefined : Number(after) };
}

/** The cursor of `GET /relationships`. @throws BffError `invalid_request` */
export function readAfterHirer(query: Record<string, unknown>): string | undefined {
  return validate(RelationshipQuery, query).after;
}

/** The identifier in a path; a text that cannot be stored identifies nothing. @throws BffError `not_found` */
export function readIdentifier(text: string): string {
  if (!isStorable(text)) throw new BffError('not_found');
  return text;
}
