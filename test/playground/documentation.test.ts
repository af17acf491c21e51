import { isSpecifiedDirective } from 'graphql';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { USAGE } from '../../playground/src/command/command-line.js';
import { FAULT_MEMBERS } from '../../playground/src/faults/fault.js';
import { theSchema } from '../../playground/src/graphql/schema/schema.js';
import { BEHAVIOURS, behaviourTable } from './provenance.js';
import { DEFAULT_SWITCHES } from '../../playground/src/switches.js';

/** Every numbered rule of interface.md; `T` is Tracing requests, `L` Content localisation. */
const RULES = `1 2.1 2.2 2.3 2.4 2.5 4.1 4.2 4.3.1 4.3.2 4.3.3 4.3.4 4.3.5 4.4
  5.1 5.2 5.3 5.4 5.5 5.6 5.7 5.8 6 7 8 9 T L`.split(/\s+/);

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/playground.md'), 'utf8').replace(/ +/g, ' ');
const tests = readdirSync(import.meta.dirname)
  .filter((name) => name !== 'documentation.test.ts' && name !== 'provenance.ts')
  .map((name) => readFileSync(join(import.meta.dirname, name), 'utf8'))
  .join('\n');
const rows = (page.split('## Rules')[1]?.split('\n## ')[0] ?? '')
  .split('\n')
  .filter((line) => /^\| [\dTL]/.test(line))
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| |\|$/g, '').trim()));

/** The parts of the schema that the page lists as newer than the public one, or as our guess. */
const parts = (page.split('| Part of the schema ')[1]?.split('\n\n')[0] ?? '')
  .split('\n')
  .flatMap((line) => /^\| `([\w.]+)` \| (?:newer|our guess) \|/.exec(line)?.[1] ?? []);

describe('docs/playground.md', () => {
  test('lists parts of the schema that exist', () => {
    const fieldsOf = (type: string) => {
      const found = theSchema().getType(type);
      return found !== undefined && 'getFields' in found ? Object.keys(found.getFields()) : [];
    };
    const isThere = (part: string): boolean => {
      const [type = '', field] = part.split('.');
      return field === undefined ? fieldsOf(type).length > 0 : fieldsOf(type).includes(field);
    };
    expect(parts.length).toBeGreaterThan(5);
    expect(parts.filter((part) => !isThere(part))).toEqual([]);
  });

  test('lists the same controls as the help of the command', () => {
    const table = page.split('| Control | Members |')[1]?.split('\n\n')[0] ?? '';
    const controls = table
      .split('\n')
      .flatMap((row) => row.split(' | ')[0]?.match(/(?<=`)[a-z/-]+(?=`)/g) ?? []);
    const help = USAGE.split('Controls: ')[1]?.split('.\n')[0]?.split(/,\s+/) ?? [];
    expect(controls.length).toBeGreaterThan(10);
    expect(help.toSorted()).toEqual(controls.toSorted());
  });

  test('explains every directive of the schema', () => {
    const own = theSchema()
      .getDirectives()
      .filter((directive) => !isSpecifiedDirective(directive))
      .map(({ name }) => name);
    expect(own.filter((name) => !page.includes(`\`@${name}`))).toEqual([]);
  });

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

  test('has the table of what is public and what is not, as test/playground/provenance.ts has it', () => {
    const [, section = ''] = /## What is public, and what is not\n([\s\S]*?)\n## /.exec(page) ?? [];
    const table = section.split('\n').filter((line) => line.startsWith('|'));
    const narrow = (line: string): string => line.replace(/-+/g, '---');
    expect(table.map(narrow)).toEqual(behaviourTable().split('\n').map(narrow));
    const missing = BEHAVIOURS.map(({ test: name }) => name).filter((name) => !tests.includes(`'${name}'`));
    expect(missing).toEqual([]);
  });

  test.each([
    ['switch', Object.entries(DEFAULT_SWITCHES).map(([name, value]) => `| \`${name}\` | ${String(value)} |`)],
    ['member of a fault', Object.keys(FAULT_MEMBERS).map((name) => `\`${name}\``)],
  ])('announces every %s', (_what, words) => {
    expect(words.filter((word) => !page.includes(word))).toEqual([]);
  });
});
