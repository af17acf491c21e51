// node .ci/count.js REPORT...   how many tests passed and failed, by the reports of Jest; one that is missing, and a suite that did not come to its tests, counts as a failure
import { existsSync, readFileSync } from 'node:fs';

let [passed, failed] = [0, 0];
for (const report of process.argv.slice(2)) {
  if (!existsSync(report)) {
    failed += 1;
    continue;
  }
  const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(
    readFileSync(report, 'utf8'),
  );
  passed += numPassedTests;
  failed += numFailedTests + numRuntimeErrorTestSuites;
}
console.log(`${passed} passed, ${failed} failed`);
