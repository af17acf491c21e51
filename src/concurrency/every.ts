/** Work that is repeated in the background. */
export interface Loop {
  /** Runs the work now; again after the run that is under way, if there is one and it does not fail. */
  wake(): void;
  /** No run begins from now on; resolves when the one under way has ended. */
  stop(): Promise<void>;
}

/**
 * Runs `work` every `intervalMs`, counted from the end of the previous run, and never concurrently. The first run comes
 * after the first interval. It does not keep the process alive.
 * @param intervalMs or a function that is asked for it after each run
 * @param onError called with the error of a failed run; the loop continues
 */
export function every(
  intervalMs: number | (() => number),
  work: () => void | Promise<void>,
  onError: (error: unknown) => void,
): Loop {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isRunning = false;
  let isWokenMeanwhile = false;
  let isStopped = false;
  const run = async (): Promise<void> => {
    clearTimeout(timer);
    isRunning = true; // before the work, which may wake its loop at once
    try {
      do {
        isWokenMeanwhile = false;
        await work();
      } while (isWokenMeanwhile && !isStopped);
    } catch (error) {
      onError(error); // no further run: what failed may be what woke it
    } finally {
      isRunning = false; // with the last look at who woke it: nobody can in between
      if (!isStopped) schedule();
    }
  };
  const begin = (): void => {
    running = run();
  };
  const schedule = (): void => {
    timer = setTimeout(begin, typeof intervalMs === 'number' ? intervalMs : intervalMs()).unref();
  };
  schedule();
  return {
    wake: () => {
      if (isRunning) isWokenMeanwhile = true;
      else if (!isStopped) begin();
    },
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
