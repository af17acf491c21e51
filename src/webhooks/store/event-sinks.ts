import { BffError, invalidRequest } from '../../errors/bff-error.js';
import type { Queued } from './deliveries.js';
import type { WebhookEvent } from '../webhook-event.js';

/** The sink of `EVENT_SINK_URL`. */
export const DEFAULT_SINK = 'default';

export interface SinkFilter {
  readonly name: string;
  /** Wanted types and hirers; all when empty. */
  readonly types: readonly string[];
  readonly hirers: readonly string[];
}

type Wanted = Pick<WebhookEvent, 'type' | 'hirerId'>;

export function wants({ types, hirers }: Omit<SinkFilter, 'name'>, { type, hirerId }: Wanted): boolean {
  return (
    (types.length === 0 || types.includes(type)) &&
    (hirers.length === 0 || (hirerId !== null && hirers.includes(hirerId)))
  );
}

/** The sinks of the settings. What is queued for another one stays, and is not delivered. */
export class EventSinks {
  readonly names: readonly string[];
  /** The names that metrics and conditions know: without any sink, the default one. */
  readonly reported: readonly string[];
  /** True if there are others than the default one. */
  readonly areSeveral: boolean;
  /** The label of metrics: none where there is only the default sink. */
  readonly labels: readonly 'sink'[];

  constructor(private readonly sinks: readonly SinkFilter[]) {
    this.names = sinks.map(({ name }) => name);
    this.reported = sinks.length === 0 ? [DEFAULT_SINK] : this.names;
    this.areSeveral = this.names.some((name) => name !== DEFAULT_SINK);
    this.labels = this.areSeveral ? ['sink'] : [];
  }

  labelsOf(sink: string): { readonly sink?: string } {
    return this.areSeveral ? { sink } : {};
  }

  wanting(event: Wanted): string[] {
    return this.sinks.filter((sink) => wants(sink, event)).map(({ name }) => name);
  }

  /** The places of events in the queues of the sinks that want them. @param sequences by event */
  queued(sequences: ReadonlyMap<Wanted, number>): Queued[] {
    return [...sequences].flatMap(([event, sequence]) =>
      this.wanting(event).map((sink) => ({ event: sequence, sink })),
    );
  }

  /** @throws BffError `invalid_request` for a name that no sink has, and where there is none at all */
  chosen(name: string | undefined): readonly SinkFilter[] {
    if (this.sinks.length === 0) {
      throw invalidRequest('No sink is configured. Set EVENT_SINK_URL or EVENT_SINKS_FILE.');
    }
    const chosen = this.sinks.filter((sink) => name === undefined || sink.name === name);
    if (chosen.length > 0) return chosen;
    const message = `must be one of ${this.names.join(', ')}`;
    throw new BffError('invalid_request', { errors: [{ field: 'sink', message }] });
  }
}
