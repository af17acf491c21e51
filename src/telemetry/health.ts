import { LATE, within } from '../concurrency/within.js';

/**
 * The state of a dependency. `down` is kept for what this replica cannot work without: it makes the replica unready.
 * Anything else is `degraded` at worst.
 */
export interface Check {
  readonly state: 'up' | 'degraded' | 'down';
  /** Why it is not up, or that nothing is known of it, in our own words. */
  readonly reason?: string;
}

/** Finds out the condition of one dependency. A rejection, or no result within a second, counts as down. */
type Probe = () => Check | Promise<Check>;

/** The answer of `/readyz`. */
export interface Readiness {
  readonly status: 'ready' | 'degraded' | 'not ready' | 'draining';
  /** True if this replica should get traffic. */
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, Check>>;
}

const PROBE_TIMEOUT_MS = 1_000;

/** Knows whether this replica can serve. Modules register a probe for each of their dependencies. */
export class Health {
  private readonly probes = new Map<string, Probe>();
  /** True if the replica is about to stop. */
  isDraining = false;

  /** Adds a dependency, under its name in `/readyz`. */
  register(name: string, probe: Probe): void {
    this.probes.set(name, probe);
  }

  /** Makes the replica not ready, since it is about to stop. */
  drain(): void {
    this.isDraining = true;
  }

  /** Asks every probe at the same time. */
  async readiness(): Promise<Readiness> {
    const entries = await Promise.all(
      [...this.probes].map(async ([name, probe]) => [name, await ask(probe)] as const),
    );
    const checks: Record<string, Check> = Object.fromEntries(entries);
    if (this.isDraining) {
      checks['shutdown'] = { state: 'down', reason: 'the service is shutting down' };
      return { status: 'draining', ready: false, checks };
    }
    const states = Object.values(checks).map(({ state }) => state);
    if (states.includes('down')) return { status: 'not ready', ready: false, checks };
    return { status: states.includes('degraded') ? 'degraded' : 'ready', ready: true, checks };
  }
}

async function ask(probe: Probe): Promise<Check> {
  try {
    const condition = await within(PROBE_TIMEOUT_MS, Promise.resolve().then(probe));
    return condition === LATE ? { state: 'down', reason: 'did not answer in time' } : condition;
  } catch {
    return { state: 'down', reason: 'cannot be reached' };
  }
}
