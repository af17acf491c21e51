/** The doctor's finding about one dependency. */
export interface Finding {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly seen: string;
  /** What to do, where it is not ok. */
  readonly todo?: string;
}

/** A finding without its name. */
export type Result = Omit<Finding, 'name'>;

/** One thing to try. */
export interface Check {
  readonly name: string;
  /** What was found, by other names where it is several things. A rejection is a fail: its message is what was seen. */
  readonly run: () => Promise<Result | readonly Finding[]>;
  /** What to do when it fails without advice of its own. */
  readonly todo: string;
}

export function ok(seen: string): Result {
  return { state: 'ok', seen };
}

/** The service works, but not all of it, or not for long. */
export function warn(seen: string, todo: string): Result {
  return { state: 'warn', seen, todo };
}

/** The service does not work so. */
export function fail(seen: string, todo: string): Result {
  return { state: 'fail', seen, todo };
}
