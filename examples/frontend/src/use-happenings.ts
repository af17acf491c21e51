import { useEvents } from 'partner-bff-client/react';
import type { BffEvent, BffEventType } from 'partner-bff-client/events';
import { useState } from 'react';
import { useBackAgain } from './page/fault.tsx';

const KEPT_MAX = 200;

/** An event, and its place among those that came. */
export interface Happening extends BffEvent {
  readonly at: number;
}

/** What happened at one hirer while it was on view. */
export interface Happenings {
  readonly isOpen: boolean;
  readonly error: unknown;
  /** The latest first. */
  readonly events: readonly Happening[];
  /** Place of the latest event. */
  readonly last: number;
  /** Changes with each event of these types, and whenever events may have been missed: then load again. */
  readonly versionOf: (...types: BffEventType[]) => string;
}

/** The live events of one hirer; those of the user's other hirers are not kept. */
export function useHappenings(hirerId: string): Happenings {
  const [events, setEvents] = useState<readonly Happening[]>([]);
  const [openings, setOpenings] = useState(0);
  const backAgain = useBackAgain();
  const keep = (event: BffEvent) =>
    setEvents((last) => {
      const others = last.filter(({ id }) => id !== event.id);
      return [{ ...event, at: (last[0]?.at ?? 0) + 1 }, ...others].slice(0, KEPT_MAX);
    });
  const { isOpen, error } = useEvents((event) => event.data['hirerId'] === hirerId && keep(event), {
    onOpen: ({ isResumed }) => {
      backAgain();
      if (!isResumed) setOpenings((last) => last + 1);
    },
  });
  return {
    isOpen,
    error,
    events,
    last: events[0]?.at ?? 0,
    versionOf: (...types) =>
      `${Math.max(1, openings)} ${events.find(({ type }) => types.includes(type))?.id ?? ''}`,
  };
}
