import type { Hirer } from 'partner-bff-client';
import { useBff, useEvents } from 'partner-bff-client/react';
import type { BffEvent } from 'partner-bff-client/events';
import { useState } from 'react';
import { Fault } from './fault.tsx';

const SHOWN_MAX = 20;

/** The events of the user's hirers, as they happen. */
export function Events({ hirers }: { hirers: readonly Hirer[] }) {
  const { language } = useBff();
  const [events, setEvents] = useState<readonly BffEvent[]>([]);
  const { isOpen, error } = useEvents((event) =>
    setEvents((last) => [event, ...last.filter(({ id }) => id !== event.id)].slice(0, SHOWN_MAX)),
  );
  return (
    <section aria-labelledby="events">
      <h2 id="events">Events</h2>
      <p role="status" className="soft">
        {isOpen ? 'Live' : 'Connecting…'}
      </p>
      {!isOpen && <Fault error={error} />}
      <ul>
        {events.map(({ id, type, timestamp, data }) => (
          <li key={id}>
            {type.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')}
            <small>
              {hirers.find(({ hirerId }) => hirerId === data['hirerId'])?.name},{' '}
              <time dateTime={timestamp}>{new Date(timestamp).toLocaleTimeString(language)}</time>
            </small>
          </li>
        ))}
      </ul>
    </section>
  );
}
