import type { SqlCondition } from '../../storage/lists/page.js';
import { DEFAULT_SINK, wantedBy, type EventSinks } from '../store/event-sinks.js';
import { inStateAt } from '../store/records/sink-states.js';
import type { RedeliveryFilter } from './redelivery.js';

/** The conditions of the events that match at any of the sinks that they are to go to. */
export function matchingEvents(filter: RedeliveryFilter, sinks: EventSinks): SqlCondition[] {
  const { hasDefault, own } = sinks.chosen(filter.sink);
  const atDefault = hasDefault ? [[inStateAt(DEFAULT_SINK, filter.state)]] : [];
  const atOwn = own.map((sink) => [...wantedBy(sink), inStateAt(sink.name, filter.state)]);
  return [...eventsOf(filter), anyOf([...atDefault, ...atOwn])];
}

/** The conditions on an event, whatever became of it. */
export function eventsOf({ type, hirer, since, until }: RedeliveryFilter): SqlCondition[] {
  return [
    ['payload IS NOT NULL'],
    ['type = ?', type],
    ['hirer_id = ?', hirer],
    ['received_at >= ?', since],
    ['received_at < ?', until],
  ];
}

/** That all conditions of any group hold; false without a group. */
function anyOf(groups: readonly (readonly SqlCondition[])[]): SqlCondition {
  const texts = groups.map((group) => `(${group.map(([sql]) => sql).join(' AND ')})`);
  const values = groups.flatMap((group) => group.flatMap(([, ...own]) => own));
  return [texts.length === 0 ? 'false' : `(${texts.join(' OR ')})`, ...values];
}
