import { IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { validate } from '../errors/validate.js';
import type { EventFilter } from './event-records.js';
import { EVENT_STATES, type EventState } from './webhook-event.js';

class EventQuery {
  @IsOptional()
  @IsIn(EVENT_STATES, { message: `must be one of ${EVENT_STATES.join(', ')}` })
  state?: EventState;

  @IsOptional()
  @IsString({ message: 'must be given once' })
  type?: string;

  @IsOptional()
  @IsString({ message: 'must be given once' })
  hirer?: string;

  @IsOptional()
  @Matches(/^\d{1,15}$/, { message: 'must be the next of a page' })
  after?: string;
}

class RelationshipQuery {
  @IsOptional()
  @IsString({ message: 'must be the next of a page' })
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
