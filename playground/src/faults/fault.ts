import { COUNT, WAIT_MS, type MemberType } from '../control/read-members.js';
import type { RouteName } from '../http/exchange.js';

/** A fault and the calls that it affects. Members may be combined. */
export interface Fault {
  /** Only this route; by default every route except control and pages. */
  readonly route?: RouteName;
  /** GraphQL only: only this root field, such as `Query.self`; with `code` or `delayMs`. */
  readonly field?: string;
  /** How many calls it hits; 1 by default, 0 until cleared. */
  readonly times?: number;
  /** How many matching calls pass unharmed first; 0 by default. */
  readonly after?: number;
  /** Wait before anything else happens. */
  readonly delayMs?: number;
  /** Answer with this status instead of the real answer. */
  readonly status?: number;
  /** Headers to add or replace. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Body instead of the real one. */
  readonly body?: string;
  /** A JSON body of about this size, in bytes, instead of the real one. */
  readonly bodyBytes?: number;
  /** Content-Type instead of the real one. */
  readonly contentType?: string;
  /** Members of a JSON object answer to set, whatever their type. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** Members of a JSON object answer to leave out. */
  readonly drop?: readonly string[];
  /** Random bytes instead of the body. */
  readonly garbage?: boolean;
  /** Announce the whole length, send half of it and break the connection. */
  readonly truncate?: boolean;
  /** Send one byte at a time, at this interval in milliseconds. */
  readonly dripMs?: number;
  /** Never answer; the connection stays open. */
  readonly hang?: boolean;
  /** Break the connection before anything is done. */
  readonly reset?: boolean;
  /** Execute the request, then break the connection without an answer. */
  readonly loseAnswer?: boolean;
  /** GraphQL only: fail a root field with this `extensions.code`. */
  readonly code?: string;
  /** GraphQL only: the message of `code`. */
  readonly message?: string;
}

/** The type of each member, to validate requests to the control route. */
export const FAULT_MEMBERS: Readonly<Record<keyof Fault, MemberType>> = {
  route: 'string',
  field: 'string',
  times: COUNT,
  after: COUNT,
  delayMs: WAIT_MS,
  status: { min: 200, max: 599, isWhole: true },
  headers: 'texts',
  body: 'string',
  bodyBytes: { min: 0, max: 268_435_456, isWhole: true },
  contentType: 'string',
  set: 'object',
  drop: 'strings',
  garbage: 'boolean',
  truncate: 'boolean',
  dripMs: WAIT_MS,
  hang: 'boolean',
  reset: 'boolean',
  loseAnswer: 'boolean',
  code: 'string',
  message: 'string',
};
