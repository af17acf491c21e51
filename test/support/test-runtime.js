import { existsSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import JestRuntime from 'jest-runtime';

/**
 * Loads suites, and what they import, with Node's own loader: once for each worker, not once for each suite as Jest does,
 * which took most of the time of all suites. `jest.mock` and `jest.resetModules` have no effect on such modules.
 */
class TestRuntime extends JestRuntime {
  constructor(...args) {
    super(...args);
    this.project = args[0].displayName.name;
    current = this;
  }

  /** @param url of a TypeScript file, which the `transform` of `jest.config.js` compiles */
  compile(url) {
    const path = fileURLToPath(url);
    const code = this.transformCache.transform(path, ES_MODULE);
    sourceMaps.set(url, this.transformCache.getSourceMaps().get(path));
    return code;
  }

  /** The part of Jest that runs the tests of a suite; it keeps the suite's state, so each has one of its own. */
  requireInternalModule(path) {
    delete require.cache[path];
    delete globalThis[Symbol.for('EVENT_HANDLERS')];
    return require(path);
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  async unstable_importModule(path) {
    globalThis.jest = this.jestGlobals.jestObjectFor(path);
    const { watchSuite } = await import(MACHINE);
    const isWhole = watchSuite();
    await import(`${pathToFileURL(path).href}?${this.project}`); // anew for each project: its tests are another's, too
    isWhole();
  }

  getSourceMaps() {
    return sourceMaps;
  }
}

const MACHINE = new URL('machine.ts', import.meta.url).href;
const ES_MODULE = {
  supportsDynamicImport: true,
  supportsExportNamespaceFrom: true,
  supportsStaticESM: true,
  supportsTopLevelAwait: true,
};
/** A suite's URL ends with the name of its project. */
const isTypeScript = (url) => /\.ts(\?\w+)?$/.test(url ?? '');
const require = createRequire(import.meta.url);
/** Of every module in this worker, by URL: a suite's stack traces also name modules that an earlier one has loaded. */
const sourceMaps = new Map();
/** Of the suite that runs. */
let current;

registerHooks({
  /** Sources import each other by the names they are compiled to. */
  resolve(specifier, context, next) {
    if (/^\..*\.js$/.test(specifier) && isTypeScript(context.parentURL)) {
      const url = new URL(specifier.replace(/js$/, 'ts'), context.parentURL);
      if (existsSync(url)) return { url: url.href, shortCircuit: true };
    }
    return next(specifier, context);
  },
  load(url, context, next) {
    if (!isTypeScript(url)) return next(url, context);
    return { format: 'module', source: current.compile(url), shortCircuit: true };
  },
});

export { TestRuntime as 'module.exports' };
