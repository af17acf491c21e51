/** Why a start or a command ends without having done what it was asked, in sentences that say what to do. */
export class ExitFault extends Error {
  constructor(
    message: string,
    /** Of the process. */
    readonly exitCode = 1,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/** Exit code of a process that ends by an error. */
export function exitCodeOf(error: unknown): number {
  return error instanceof ExitFault ? error.exitCode : 1;
}

/**
 * What is printed of an error that ends the process: sentences of an {@link ExitFault}, the stack of any other.
 * @param what could not be done
 */
export function explain(error: unknown, what: string): string {
  return error instanceof ExitFault ? error.message : `${what}: ${traceOf(error)}`;
}

/** Not by `inspect`: members of an error may hold a URL with its password. */
function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? String(error);
  return error.cause === undefined ? own : `${own}\nCaused by: ${traceOf(error.cause)}`;
}
