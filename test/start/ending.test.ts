import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const BUILD = 'node_modules/.cache/ending-build';
const OPTIONS = ['--ignore', '**/*.test.ts', '--copy-files', '--quiet'];
/** A process that something keeps alive is killed, which rejects. */
const EXIT_MS = 25_000;

beforeAll(() => {
  execFileSync('node_modules/.bin/swc', ['test', 'src', 'playground/src', '--out-dir', BUILD, ...OPTIONS]);
  copyFileSync('package.json', join(BUILD, 'package.json'));
  copyFileSync('playground/schema.graphql', join(BUILD, 'playground/schema.graphql'));
});

test('a stopped service and playground leave nothing that keeps their process alive', async () => {
  const program = join(BUILD, 'test/start/ending-main.js');
  const { stdout } = await promisify(execFile)('node_modules/.bin/node', [program], { timeout: EXIT_MS });
  expect(stdout).toBe('0\n'); // every request that was cut is in the audit trail
});
