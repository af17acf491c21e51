import { flushCompileCache } from 'node:module';
import perfHooks from 'node:perf_hooks';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/**
 * Ends what watches the process for the metrics of a service, and would keep that service in memory after its suite. It
 * reaches CommonJS alone, which prom-client is.
 */
const watching = new Set();
const { PerformanceObserver, monitorEventLoopDelay } = perfHooks;
perfHooks.PerformanceObserver = class extends PerformanceObserver {
  constructor(...args) {
    super(...args);
    watching.add(() => this.disconnect());
  }
};
perfHooks.monitorEventLoopDelay = (...args) => {
  const delay = monitorEventLoopDelay(...args);
  watching.add(() => delay.disable());
  return delay;
};

/**
 * The global object of the worker itself in place of a context for each suite. Modules that all suites share
 * (`test-runtime.js`) have one set of globals, as in production, and nothing is loaded or compiled twice.
 */
export default class TestEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    Object.assign(globalThis, projectConfig.globals);
    this.variables = { ...process.env };
    const { exit, getBuiltinModule } = process;
    this.functions = { exit, getBuiltinModule };
  }

  /** Jest has put its own `getBuiltinModule` in place by now, which works for modules of its contexts alone. */
  async setup() {
    process.getBuiltinModule = this.functions.getBuiltinModule;
    Error.stackTraceLimit = 10; // as in production: Jest's limit makes each error that is caught dear
  }

  /**
   * Puts back what a suite, or Jest for it, has changed. Compiled code is kept on disk now: thousands of files at the end
   * of a worker would take a busy machine longer than Jest waits for that end.
   */
  async teardown() {
    flushCompileCache();
    this.fakeTimersModern.dispose();
    for (const end of watching) end();
    watching.clear();
    for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
      if (symbol.description === 'JEST_STATE_SYMBOL') delete globalThis[symbol]; // its tests, and all that they use
    }
    delete globalThis[Symbol.for('TEST_TIMEOUT_SYMBOL')]; // of `jest.setTimeout`, which is for one suite
    Object.assign(process, this.functions);
    for (const name of Object.keys(process.env)) {
      if (!(name in this.variables)) delete process.env[name];
    }
    Object.assign(process.env, this.variables);
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return null;
  }
}
