import { nodeFault } from './node-version.js';

/**
 * The entry point. Everything but the check of the version is imported afterwards: an older Node.js cannot link the
 * service, and would end with a stack trace before its first line runs.
 */
const fault = nodeFault(process.versions.node);
if (fault === undefined) {
  const { run } = await import('./run.js');
  await run(process.env);
} else {
  process.stderr.write(`${fault}\n`);
  process.exitCode = 1;
}
