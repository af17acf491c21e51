import type { BffEvent, BffEventType } from 'partner-bff-client/events';
import { useEvents } from 'partner-bff-client/react';
import { useState } from 'react';
import { useBackAgain } from './page/fault.tsx';

const KEPT_MAX = 200;

/** Events of one hirer since it was shown. */
export interface Happenings {
  readonly isOpen: boolean;
  readonly error: unknown;
  /** The latest first. */
  readonly events: readonly BffEvent[];
  /** Changes with each event of these types, and whenever events may have been missed: then load again. */
  readonly versionOf: (...types: BffEventType[]) => string;
}

/** The live events of one hirer; those of the user's other hirers are not kept. */
export function useHappenings(hirerId: string): Happenings {
  const [events, setEvents] = useState<readonly BffEvent[]>([]);
  const [gaps, setGaps] = useState(0);
  const backAgain = useBackAgain();
  const keep = (event: BffEvent) =>
    setEvents((last) => [event, ...last.filter(({ id }) => id !== event.id)].slice(0, KEPT_MAX));
  const { isOpen, error } = useEvents((event) => event.data['hirerId'] === hirerId && keep(event), {
    onOpen: ({ isResumed }) => {
      backAgain();
      if (!isResumed) setGaps((last) => last + 1);
    },
  });
  return {
    isOpen,
    error,
    events,
    versionOf: (...types) =>
      `${Math.max(1, gaps)} ${events.find(({ type }) => types.includes(type))?.id ?? ''}`,
  };
}
