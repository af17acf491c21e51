import { COUNT, TEXT, TEXTS, WAIT_MS } from '../http/body-schemas.js';

/** The names of routes, for faults and the call log. */
export const ROUTE_NAMES = [
  'oauth-token',
  'discovery',
  'jwks',
  'sign-in',
  'machine-token',
  'auth-token',
  'graphql',
  'attachments',
  'images',
  'control',
  'page',
] as const;
/** One of the {@link ROUTE_NAMES}. */
export type RouteName = (typeof ROUTE_NAMES)[number];

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

/** The members of a fault, as JSON Schema has them. */
export const FAULT_MEMBERS: Readonly<Record<keyof Fault, object>> = {
  route: { enum: ROUTE_NAMES },
  field: TEXT,
  times: COUNT,
  after: COUNT,
  delayMs: WAIT_MS,
  status: { type: 'integer', minimum: 200, maximum: 599 },
  headers: { type: 'object', additionalProperties: TEXT },
  body: TEXT,
  bodyBytes: { type: 'integer', minimum: 0, maximum: 268_435_456 },
  contentType: TEXT,
  set: { type: 'object' },
  drop: TEXTS,
  garbage: { type: 'boolean' },
  truncate: { type: 'boolean' },
  dripMs: WAIT_MS,
  hang: { type: 'boolean' },
  reset: { type: 'boolean' },
  loseAnswer: { type: 'boolean' },
  code: TEXT,
  message: TEXT,
};
