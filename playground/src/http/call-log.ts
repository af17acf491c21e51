import { randomUUID } from 'node:crypto';
import type { RouteName } from '../faults/fault.js';

/** One request as a listener saw it. Holds no token, secret or body. */
export interface Call {
  /** Unique, also over a reset and another start. */
  readonly id: string;
  readonly time: string;
  readonly listener: 'issuer' | 'upstream';
  readonly route: RouteName | 'unknown';
  readonly method: string;
  readonly path: string;
  readonly requestId: string | null;
  readonly sessionId: string | null;
  readonly userAgent: string | null;
  readonly traceparent: string | null;
  readonly acceptLanguage: string | null;
  /** The kind of token sent; `unknown` is one that this playground did not issue or no longer remembers. */
  readonly token: 'none' | 'partner' | 'browser' | 'expired' | 'unknown';
  /** Null if there was no answer: connection reset or left hanging. */
  readonly status: number | null;
  readonly durationMs: number;
  /** True when a fault was set for this call. */
  readonly fault: boolean;
  /** GraphQL only: the selected root fields, such as `Query.self`. */
  readonly fields?: readonly string[];
  /** GraphQL only: the codes of the errors that were answered. */
  readonly codes?: readonly string[];
  /** GraphQL only: rules of interface.md 4.3 that the request broke. */
  readonly ruleBreaks?: readonly string[];
}

const FILTERS = ['sessionId', 'requestId', 'route'] as const;
/** A filter of the log; all given members must match. */
export type CallFilter = Readonly<Partial<Record<(typeof FILTERS)[number], string>>>;

/** The last requests of both listeners, oldest first. Control and page requests are left out. */
export class CallLog {
  private readonly calls: Call[] = [];

  constructor(private readonly callsMax = 5_000) {}

  add(call: Omit<Call, 'id'>): void {
    this.calls.push({ id: randomUUID(), ...call });
    if (this.calls.length > this.callsMax) this.calls.shift();
  }

  list(filter: CallFilter = {}): Call[] {
    return this.calls.filter((call) =>
      FILTERS.every((name) => filter[name] === undefined || filter[name] === call[name]),
    );
  }

  clear(): void {
    this.calls.length = 0;
  }
}
