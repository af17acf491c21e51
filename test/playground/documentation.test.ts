import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAULT_MEMBERS } from '../../playground/src/faults/fault.js';
import { DEFAULT_SWITCHES } from '../../playground/src/switches.js';

/** Every numbered rule of interface.md; `T` is Tracing requests, `L` Content localisation. */
const RULES = `1 2.1 2.2 2.3 2.4 2.5 4.1 4.2 4.3.1 4.3.2 4.3.3 4.3.4 4.3.5 4.4
  5.1 5.2 5.3 5.4 5.5 5.6 5.7 5.8 6 7 8 9 T L`.split(/\s+/);

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/playground.md'), 'utf8').replace(/ +/g, ' ');
const tests = readdirSync(import.meta.dirname)
  .filter((name) => name !== 'documentation.test.ts')
  .map((name) => readFileSync(join(import.meta.dirname, name), 'utf8'))
  .join('\n');
const rows = (page.split('## Rules')[1]?.split('\n## ')[0] ?? '')
  .split('\n')
  .filter((line) => /^\| [\dTL]/.test(line))
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| |\|$/g, '').trim()));

describe('docs/playground.md', () => {
  test('has a row for every rule, and no other', () => {
    expect([...new Set(rows.map(([rule]) => rule))]).toEqual(RULES);
  });

  test('names an existing test for every rule obeyed and broken', () => {
    const names = rows.flatMap((cells) => cells.slice(2)).filter((cell) => cell.startsWith('`'));
    expect(names.length).toBeGreaterThan(rows.length);
    const missing = names
      .map((cell) => cell.replaceAll('`', ''))
      .filter((name) => !tests.includes(`'${name}'`));
    expect(missing).toEqual([]);
  });

  test.each([
    ['switch', Object.entries(DEFAULT_SWITCHES).map(([name, value]) => `| \`${name}\` | ${String(value)} |`)],
    ['member of a fault', Object.keys(FAULT_MEMBERS).map((name) => `\`${name}\``)],
  ])('announces every %s', (_what, words) => {
    expect(words.filter((word) => !page.includes(word))).toEqual([]);
  });
});
