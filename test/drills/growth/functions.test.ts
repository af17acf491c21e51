import { readMembershipCsv } from '../../../src/hirer-access/membership-csv.js';
import { scrub } from '../../../src/telemetry/log.js';
import { parseExact } from '../../../src/json/exact-json.js';
import { growsLinearly, leastMs } from './growth.js';

function attempt(work: () => unknown): void {
  try {
    work();
  } catch {
    // refused, which may take no longer either
  }
}

const csv = (text: string): void => attempt(() => readMembershipCsv(`user,hirerId,roles\n${text}`));

describe('work on hostile text is linear in its length', () => {
  test.each<[string, (text: string) => unknown, string, string]>([
    ['scrubbing dashes between token beginnings', scrub, 'eyJ-', ''],
    ['scrubbing dots between token beginnings', scrub, 'eyJ.', ''],
    ['scrubbing one endless beginning', scrub, 'a', 'eyJ'],
    ['scrubbing Bearer over and over', scrub, 'Bearer ', ''],
    ['a quoted CSV cell that is not closed', csv, 'a', '"'],
    ['doubled quotes in a CSV cell', csv, '""', '"'],
    ['CSV rows of nothing', csv, '\n', ''],
    ['CSV cells of nothing', csv, ',', ''],
    ['spaces between roles', csv, ' ', 'ada,h,a'],
    ['JSON that seems to hold numbers', (text) => attempt(() => parseExact(text)), '[ ', ''],
  ])('%s', (_name, work, pump, start) => {
    const textOf = (characters: number): string => start + pump.repeat(characters / pump.length);
    expect(growsLinearly(work, textOf)).toBe(true);
  });

  test('a megabyte of token beginnings costs less than a request may take', () => {
    expect(leastMs(scrub, 'eyJ-'.repeat(262_144))).toBeLessThan(500);
  });
});
