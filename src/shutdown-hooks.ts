import { LATE, within } from './concurrency/within.js';
import type { Log } from './telemetry/log.js';

/** How long a hook may take once the time of the whole shutdown is over. */
const GRACE_MS = 300;

interface Stoppable {
  onApplicationShutdown(): unknown;
}

/**
 * Bounds the shutdown hooks of an application. Nest runs them one module after the other, so that a hook that hangs
 * would keep all later ones from running; and it reports those that fail to its own log only, which is off.
 */
export class ShutdownHooks {
  private endsAt = Infinity;

  constructor(private readonly log: Pick<Log, 'error'>) {}

  /** From now on, a hook may take until `ms` milliseconds are over, and 300 ms besides. */
  limit(ms: number): void {
    this.endsAt = performance.now() + ms;
  }

  /** Bounds the hook of an instance, if it has one; for Nest's `instanceDecorator`. */
  readonly bound = (instance: unknown): unknown => {
    if (!isStoppable(instance)) return instance;
    const hook = instance.onApplicationShutdown.bind(instance);
    instance.onApplicationShutdown = () => this.run(instance.constructor.name, hook);
    return instance;
  };

  private async run(name: string, hook: () => unknown): Promise<void> {
    const ms = Math.max(0, this.endsAt - performance.now()) + GRACE_MS;
    const stopping = (async () => hook())();
    try {
      const end = ms === Infinity ? await stopping : await within(ms, stopping);
      if (end === LATE) this.log.error({ class: name }, 'a module did not stop in time');
    } catch (error) {
      this.log.error({ err: error, class: name }, 'a module failed to stop');
    }
  }
}

function isStoppable(instance: unknown): instance is Stoppable {
  return typeof (instance as Partial<Stoppable> | null | undefined)?.onApplicationShutdown === 'function';
}
