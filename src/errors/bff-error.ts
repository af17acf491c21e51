import { ERROR_CODES, type ErrorCode } from './error-codes.js';

/** One fault of the input: where it is and what to do about it. */
export interface FieldFault {
  readonly field: string;
  readonly message: string;
}

/** What a thrower may add to a code. */
export interface BffErrorDetails {
  /** Public sentence instead of the table's. Must not hold upstream text, a secret or personal data. */
  readonly detail?: string;
  /** Every fault of the input, for `invalid_request`. */
  readonly errors?: readonly FieldFault[];
  /** Whole seconds for `Retry-After`; 429 and 503 get 1 when none is given. */
  readonly retryAfterSeconds?: number | undefined;
  /** `Allow` of a 405. */
  readonly allow?: string;
  /** `WWW-Authenticate` instead of the table's. */
  readonly challenge?: string;
  /** Tells an upstream's own limit from one of ours. */
  readonly refusedBy?: 'upstream';
  /** For the log only: never reaches a caller. */
  readonly cause?: unknown;
  /** For log and audit trail only: what happened, in our own words. */
  readonly message?: string;
  /** For log and audit trail only: further fields of the log line; short texts, of any origin. */
  readonly fields?: Readonly<Record<string, string>>;
}

const CLIPPED_CHARACTERS_MAX = 60;
const REASON_CHARACTERS_MAX = 200;

/**
 * The one error this service throws on purpose. It carries two texts: the public one of the code table, and an
 * internal one (`message`, `cause`) that only the log sees.
 */
export class BffError extends Error {
  override readonly name = 'BffError';
  readonly detail: string;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly code: ErrorCode,
    readonly details: BffErrorDetails = {},
  ) {
    super(details.message ?? code, { cause: details.cause });
    this.detail = details.detail ?? ERROR_CODES[code].text;
    const isTemporary = code === 'rate_limited' || code === 'unavailable';
    this.retryAfterSeconds = details.retryAfterSeconds ?? (isTemporary ? 1 : undefined);
  }

  /** The internal `message`, shortened; undefined when none was given. */
  get reason(): string | undefined {
    return this.message === this.code ? undefined : clip(this.message, REASON_CHARACTERS_MAX);
  }

  /** True if the upstream's own limit refused it, rather than one of ours. */
  get isUpstreamLimit(): boolean {
    return this.code === 'rate_limited' && this.details.refusedBy === 'upstream';
  }

  /** HTTP status of the answer. */
  get status(): number {
    return ERROR_CODES[this.code].status;
  }
}

/** The refusal of a request as a whole, in a public sentence that says what is wrong with it. */
export function invalidRequest(detail: string): BffError {
  return new BffError('invalid_request', { detail });
}

/** A text for a header, an answer or the log, such as a name that a caller chose; shortened when it is too long. */
export function clip(name: string, charactersMax = CLIPPED_CHARACTERS_MAX): string {
  return name.length <= charactersMax ? name : `${name.slice(0, charactersMax).toWellFormed()}…`;
}
