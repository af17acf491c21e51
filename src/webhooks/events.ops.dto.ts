import { IsBoolean, IsIn, IsOptional, Matches } from 'class-validator';
import { BffError } from '../errors/bff-error.js';
import { parseJsonObject, parseOptionalJsonObject } from '../json/parse-json.js';
import { validate } from '../errors/validate.js';
import { isStorable, IsStorable, IsTime, timeOf } from '../storage/lists/listing-query.js';
import type { EventFilter } from './store/event-records.js';
import { REDELIVERABLE_STATES, type RedeliveryFilter } from './store/redeliver-events.js';
import { EVENT_STATES, type EventState } from './webhook-event.js';

class EventQuery {
  @IsOptional()
  @IsIn(EVENT_STATES, { message: `must be one of ${EVENT_STATES.join(', ')}` })
  state?: EventState;

  @IsOptional() @IsStorable() type?: string;
  @IsOptional() @IsStorable() hirer?: string;
  @IsOptional() @IsStorable() id?: string;
  @IsOptional() @IsTime() since?: string;
  @IsOptional() @IsTime() until?: string;
  @IsOptional() @IsIn(['true', 'false'], { message: 'must be true or false' }) payload?: string;
  @IsOptional() @Matches(/^\d{1,15}$/, { message: 'must be the next of a page' }) after?: string;
}

class RedeliveryBody {
  @IsOptional()
  @IsIn(REDELIVERABLE_STATES, { message: `must be one of ${REDELIVERABLE_STATES.join(', ')}` })
  state?: RedeliveryFilter['state'];

  @IsOptional() @IsStorable('must be a string') type?: string;
  @IsOptional() @IsStorable('must be a string') hirer?: string;
  @IsOptional() @IsStorable('must be a string') sink?: string;
  @IsOptional() @IsTime() since?: string;
  @IsOptional() @IsTime() until?: string;
  @IsOptional() @IsBoolean({ message: 'must be true or false' }) dryRun?: boolean;
  @IsOptional() @IsBoolean({ message: 'must be true or false' }) asNew?: boolean;
}

class RedeliveryWishBody {
  @IsOptional() @IsBoolean({ message: 'must be true or false' }) asNew?: boolean;
  @IsOptional() @IsStorable('must be a string') sink?: string;
}

/** @throws BffError `invalid_request` */
export function readEventFilter(query: Record<string, unknown>): EventFilter {
  const { since, until, after, payload, ...rest } = validate(EventQuery, query);
  return {
    ...rest,
    since: timeOf(since),
    until: timeOf(until),
    after: after === undefined ? undefined : Number(after),
    withoutPayload: payload === 'false',
  };
}

/** The body of `POST /events/redeliver`. @throws BffError `invalid_request`, also where all events would be sent again */
export function readRedelivery(body: unknown) {
  const read = validate(RedeliveryBody, parseJsonObject(body));
  const { since, until, dryRun = false, asNew = false, ...rest } = read;
  const filter: RedeliveryFilter = { ...rest, since: timeOf(since), until: timeOf(until) };
  const { state, type, hirer } = filter;
  if (!dryRun && [state, type, hirer, since, until].every((value) => !value)) {
    const message =
      'is needed unless type, hirer, since or until is given, so that not every event is redelivered';
    throw new BffError('invalid_request', { errors: [{ field: 'state', message }] });
  }
  return { filter, asNew, dryRun };
}

/** The body of `POST /events/{id}/redeliver`, which is optional. @throws BffError `invalid_request` */
export function readRedeliveryWish(body: unknown) {
  const { asNew = false, sink } = validate(RedeliveryWishBody, parseOptionalJsonObject(body));
  return { asNew, sink };
}

/** The identifier in a path; a text that cannot be stored identifies nothing. @throws BffError `not_found` */
export function readIdentifier(text: string): string {
  if (!isStorable(text)) throw new BffError('not_found');
  return text;
}
