import { COUNT, FLAG, TEXT, TEXTS, WAIT_MS, type Body } from '../http/body-schemas.js';

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

/** The members of a fault, as JSON Schema has them. */
export const FAULT_MEMBERS = {
  /** Only this route; by default every route except control and pages. */
  route: { enum: ROUTE_NAMES },
  /** GraphQL only: only this root field, such as `Query.self`; with `code` or `delayMs`. */
  field: TEXT,
  /** How many calls it hits; 1 by default, 0 until cleared. */
  times: COUNT,
  /** How many matching calls pass unharmed first; 0 by default. */
  after: COUNT,
  /** Wait before anything else happens. */
  delayMs: WAIT_MS,
  /** Answer with this status instead of the real answer. */
  status: { type: 'integer', minimum: 200, maximum: 599 },
  /** Headers to add or replace. */
  headers: { type: 'object', additionalProperties: TEXT },
  /** Body instead of the real one. */
  body: TEXT,
  /** A JSON body of about this size, in bytes, instead of the real one. */
  bodyBytes: { type: 'integer', minimum: 0, maximum: 268_435_456 },
  /** Content-Type instead of the real one. */
  contentType: TEXT,
  /** Members of a JSON object answer to set, whatever their type. */
  set: { type: 'object' },
  /** Members of a JSON object answer to leave out. */
  drop: TEXTS,
  /** Random bytes instead of the body. */
  garbage: FLAG,
  /** Announce the whole length, send half of it and break the connection. */
  truncate: FLAG,
  /** Send one byte at a time, at this interval in milliseconds. */
  dripMs: WAIT_MS,
  /** Never answer; the connection stays open. */
  hang: FLAG,
  /** Break the connection before anything is done. */
  reset: FLAG,
  /** Execute the request, then break the connection without an answer. */
  loseAnswer: FLAG,
  /** GraphQL only: fail a root field with this `extensions.code`. */
  code: TEXT,
  /** GraphQL only: the message of `code`. */
  message: TEXT,
} as const;

/** A fault and the calls that it affects. Members may be combined. */
export type Fault = Body<typeof FAULT_MEMBERS>;
