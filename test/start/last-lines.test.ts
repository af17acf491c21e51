import { runWithLog } from '../support/start-process.js';
import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const OPEN = "const log = openLog({ LOG_LEVEL: 'info' });";

interface Line {
  readonly msg: string;
  readonly line: number;
}
const linesOf = (text: string): Line[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

/** Keeps every thread busy that could write in the background. */
const BUSY = `import { pbkdf2 } from 'node:crypto';
  for (let task = 0; task < 4; task += 1) pbkdf2('', '', 3e4, 64, 'sha512', () => undefined);`;

test.each(['process.exit(1)', 'null.crash()'])(
  'a warning, and what was logged before it, is out before the process can end by %s',
  async (end) => {
    const text = await runWithLog(
      `${BUSY} ${OPEN} log.info('earlier'); log.warn('last words: \u2713'); ${end};`,
    );
    expect(linesOf(text).map(({ msg }) => msg)).toEqual(['earlier', 'last words: \u2713']);
  },
);

test('a warning does not overtake or tear lines that are still being written', async () => {
  const text = await runWithLog(`${OPEN}
    for (let line = 0; line < 20_000; line += 1) log[line % 100 === 99 ? 'error' : 'info']({ line }, 'x'.repeat(100));`);
  expect(linesOf(text).map(({ line }) => line)).toEqual(Array.from({ length: 20_000 }, (_, line) => line));
});

test('the last line of a process follows what is still being written', async () => {
  const text = await runWithLog(`${BUSY} ${OPEN}
    for (let line = 0; line < 3; line += 1) log.info({ line }, 'x'.repeat(20_000));
    log.info({ line: 3 }, 'stopped');
    log.flush(() => process.exit());`);
  expect(linesOf(text).map(({ line }) => line)).toEqual([0, 1, 2, 3]);
});

describe('a reader that reads nothing for a while', () => {
  const logged = (count: number, text: string, characters: number): Promise<string> =>
    runWithLog(
      `process.stdout; ${OPEN}
      for (let line = 0; line < ${count}; line += 1) log.warn({ line }, '${text}'.repeat(${characters}));
      process.stderr.write('logged');`,
      true,
    );

  test('gets every character whole', async () => {
    const text = await logged(10, '\u20ac', 100_000);
    expect(text.split('\u20ac')).toHaveLength(1_000_001);
    expect(text).not.toContain('\ufffd');
  });

  test('makes the log grow no further than 8 MiB: what follows is lost', async () => {
    const lines = linesOf(await logged(12_000, 'x', 1_000));
    expect(lines.length).toBeGreaterThan(5_000);
    expect(lines.length).toBeLessThan(10_000);
  });
});

const BUILD = 'node_modules/.cache/ending-build';
const OPTIONS = ['--ignore', '**/*.test.ts', '--copy-files', '--quiet'];
/** A process that something keeps alive is killed, which rejects. */
const EXIT_MS = 100_000;

beforeAll(() => {
  rmSync(BUILD, { recursive: true, force: true }); // with what has since been removed from the sources
  execFileSync('node_modules/.bin/swc', ['test', 'src', 'playground/src', '--out-dir', BUILD, ...OPTIONS]);
  copyFileSync('package.json', join(BUILD, 'package.json'));
  copyFileSync('playground/schema.graphql', join(BUILD, 'playground/schema.graphql'));
  cpSync('operations', join(BUILD, 'operations'), { recursive: true });
});

test('a stopped service and playground leave nothing that keeps their process alive', async () => {
  const program = join(BUILD, 'test/start/ending-main.js');
  const { stdout } = await promisify(execFile)('node_modules/.bin/node', [program], { timeout: EXIT_MS });
  expect(stdout).toBe('0\n'); // every request that was cut is in the audit trail
});
