import { Injectable } from '@nestjs/common';
import { BffError } from '../../errors/bff-error.js';
import type { SqlCondition } from '../../storage/lists/page.js';

/** The sink whose deliveries stand in `events` itself: that of `EVENT_SINK_URL`, or one of this name in the file. */
export const DEFAULT_SINK = 'default';

/** A sink with a queue of its own in `event_deliveries`. */
export interface OwnSink {
  readonly name: string;
  /** Wanted types and hirers; all when empty. */
  readonly types: readonly string[];
  readonly hirers: readonly string[];
}

/** The sinks of the settings, as the store knows them. */
@Injectable()
export class EventSinks {
  /** No sink but, perhaps, the default one. */
  static readonly SINGLE = new EventSinks([], true);

  /**
   * @param own sinks besides the default one
   * @param hasDefault whether something is delivered from `events`: the default sink
   */
  constructor(
    readonly own: readonly OwnSink[],
    readonly hasDefault: boolean,
  ) {}

  /** The names by which operators know the sinks. */
  get names(): readonly string[] {
    return [...(this.hasDefault ? [DEFAULT_SINK] : []), ...this.own.map(({ name }) => name)];
  }

  /** @throws BffError `invalid_request` for a name that no sink has */
  requireKnown(name: string | undefined): void {
    if (name === undefined || this.names.includes(name)) return;
    const message = `must be one of ${this.names.join(', ')}`;
    throw new BffError('invalid_request', { errors: [{ field: 'sink', message }] });
  }

  /** The sink of that name, or every sink. */
  chosen(name: string | undefined): { readonly hasDefault: boolean; readonly own: readonly OwnSink[] } {
    if (name === undefined) return this;
    return {
      hasDefault: this.hasDefault && name === DEFAULT_SINK,
      own: this.own.filter((sink) => sink.name === name),
    };
  }
}

/** The conditions that an event of `events` is wanted by a sink. */
export function wantedBy({ types, hirers }: OwnSink): SqlCondition[] {
  return [['payload IS NOT NULL'], ...oneOf('type', types), ...oneOf('hirer_id', hirers)];
}

function oneOf(column: string, values: readonly string[]): SqlCondition[] {
  return values.length === 0 ? [] : [[`${column} IN (${values.map(() => '?').join(', ')})`, ...values]];
}
