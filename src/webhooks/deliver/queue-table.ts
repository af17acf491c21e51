import { DEFAULT_SINK } from '../store/event-sinks.js';

/** Where the queue of a sink stands in the store. */
export interface QueueTable {
  /** The name of the sink. */
  readonly sink: string;
  readonly name: 'events' | 'event_deliveries';
  /** Begins the conditions of every statement. */
  readonly only: string;
  /** The columns of an event that was taken, besides those that both tables have. */
  readonly columns: string;
}

const EVENT_COLUMNS = ['type', 'hirer_id', 'create_date_time', 'received_at', 'payload'];
const SINK_NAME = /^[\w-]+$/;

/** The queue of the default sink: the events themselves. */
export const EVENTS: QueueTable = {
  sink: DEFAULT_SINK,
  name: 'events',
  only: '',
  columns: ['id', ...EVENT_COLUMNS].join(', '),
};

/** The queue of a sink by its name. An event that is taken is as it is stored now. */
export function queueOf(sink: string): QueueTable {
  if (sink === DEFAULT_SINK) return EVENTS;
  if (!SINK_NAME.test(sink)) throw new Error('a sink has a name that is none');
  const current = (column: string): string =>
    `(SELECT ${column} FROM events WHERE events.id = event_deliveries.event_key) AS ${column}`;
  return {
    sink,
    name: 'event_deliveries',
    only: `sink = '${sink}' AND`,
    columns: ['event_key AS id', ...EVENT_COLUMNS.map(current)].join(', '),
  };
}
