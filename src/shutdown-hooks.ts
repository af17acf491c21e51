import { LATE, within } from './concurrency/within.js';
import type { Log } from './telemetry/log.js';

/**
 * Bounds the shutdown hook of each instance that has one; for Nest's `instanceDecorator`. Nest runs hooks one module after
 * the other, so that one that hangs would keep all later ones from running; and it reports those that fail to its own log
 * only, which is off.
 * @param leftMs how long a hook may take when it is called
 */
export function boundHooks(log: Pick<Log, 'error'>, leftMs: () => number): (instance: unknown) => unknown {
  return (instance) => {
    const stoppable = instance as { onApplicationShutdown?: () => unknown } | null | undefined;
    const hook = stoppable?.onApplicationShutdown?.bind(instance);
    if (!stoppable || !hook) return instance;
    const { name } = stoppable.constructor;
    stoppable.onApplicationShutdown = async () => {
      try {
        const end = await within(leftMs(), (async () => hook())());
        if (end === LATE) log.error({ class: name }, 'a module did not stop in time');
      } catch (error) {
        log.error({ err: error, class: name }, 'a module failed to stop');
      }
    };
    return instance;
  };
}
