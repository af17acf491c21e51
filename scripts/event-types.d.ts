import type { EVENT_TYPES } from '../src/webhooks/schema/event-types.js';

/** TypeScript types of the deliveries to the event sink, for receivers. */
export function eventTypes(types: typeof EVENT_TYPES): string;
