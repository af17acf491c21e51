/** Properties of every event; each may be missing if the upstream does not provide it. */
export interface EventData {
  /** The identifier that the upstream gave the event. */
  readonly id?: string;
  /** When it happened, as the upstream sent it: ISO 8601, in UTC. */
  readonly createDateTime?: string;
  readonly hirerId?: string;
  /** The id of the first delivery, where an operator had the event redelivered as new. */
  readonly redeliveryOf?: string;
}

/** An error of the object that goes with an event. */
export interface ObjectError {
  /** Such as `FORBIDDEN`. */
  readonly code: string;
  readonly path?: readonly (string | number)[];
}

/** A verified delivery. */
export interface DeliveryOf<Type, Data> {
  /** `webhook-id`, the same at every attempt: the key by which to recognise what is done already. */
  readonly id: string;
  readonly type: Type;
  /** When it happened, ISO 8601. */
  readonly timestamp: string;
  readonly data: Data;
  /** Why the event comes although it was delivered before; undefined for the first delivery. */
  readonly repeat: 'upstream' | 'operator' | undefined;
}

declare const other: unique symbol;
/**
 * A type that this version does not know: a text, which `String(type)` gives. For the compiler it equals no name that a
 * `case` can have, so that the documented types are told apart; handle it in `default`.
 */
export interface OtherType {
  toString(): string;
  readonly [other]: true;
}

/** An event of a type that this version does not know. Acknowledge it. */
export type OtherDelivery = DeliveryOf<OtherType, EventData & Readonly<Record<string, unknown>>>;
