import { hash } from 'node:crypto';
import type { ReceivedEvent } from './webhook-event.js';

/** The id that an event is stored and delivered under; an unsigned one has a key of its own. */
export function keyOf({ id, trust, subscriptionId }: ReceivedEvent): string {
  return trust === 'unsigned' ? `unsigned:${hash('sha256', JSON.stringify([subscriptionId, id]))}` : id;
}
