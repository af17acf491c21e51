import fc from 'fast-check';
import { isSubject } from '../../src/auth/token-claims.js';
import { isWrittenHirerId, isRole } from '../../src/hirer-access/membership.js';
import { readMembershipCsv } from '../../src/hirer-access/membership-csv.js';
import { damaged } from './generators/json-texts.js';
import { growsLinearly } from './growth.js';
import { readOrRefuse, target } from './target.js';

const subject = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).filter(isSubject);
const part = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 15 });
const identifier = fc
  .array(part, { minLength: 2, maxLength: 4 })
  .map((parts) => parts.join(':'))
  .filter(isWrittenHirerId);
const rows = fc.uniqueArray(
  fc.tuple(subject, identifier, fc.subarray(['member', 'recruiter', 'a.b:c'], { minLength: 1 })),
  {
    maxLength: 5,
    selector: ([user, hirer]) => JSON.stringify([user, hirer]),
  },
);

function csvOf(
  memberships: readonly (readonly [string, string, readonly string[]])[],
  lineEnd: string,
): string {
  const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const lines = memberships.map(([user, hirer, roles]) => [user, hirer, roles.join(' ')].map(cell).join(','));
  return ['user,hirerId,roles', ...lines].join(lineEnd);
}

const csvText = fc
  .tuple(rows, fc.constantFrom('\n', '\r\n', '\r\n\r\n'))
  .map(([all, lineEnd]) => csvOf(all, lineEnd));
const CSV_PIECES = [
  'user,hirerId,roles\n',
  '"',
  '""',
  ',',
  '\n',
  '\r\n',
  '\r',
  ' ',
  'a',
  'member',
  '\ufeff',
  '\0',
  '","',
  '"\n"',
];

target(
  'CSV of memberships',
  {
    'what is written by the rules of CSV is read as it was': fc.property(
      rows,
      fc.constantFrom('\n', '\r\n'),
      (all, lineEnd) => {
        const read = readMembershipCsv(csvOf(all, lineEnd));
        expect(read.map(({ user, hirerId: id, roles }) => [user, id, roles])).toEqual(all);
      },
    ),
    'a file is read or refused with its lines': fc.property(
      fc.oneof(csvText, damaged(csvText, CSV_PIECES), fc.string({ unit: 'binary' })),
      (text) => {
        for (const { user, hirerId: id, roles } of readOrRefuse(['invalid_request'], () =>
          readMembershipCsv(text),
        ) ?? []) {
          expect([isSubject(user), isWrittenHirerId(id), roles.every(isRole)]).toEqual([true, true, true]);
        }
      },
    ),
  },
  { growth: growsLinearly(CSV_PIECES, (text) => readMembershipCsv(`user,hirerId,roles\n${text}`)) },
);

test.each([
  ['a quoted cell', `"${'a'.repeat(9_000_000)}"`],
  ['a quoted cell that does not end', `"${'a'.repeat(9_000_000)}`],
  ['a run of quotes', '"'.repeat(9_000_001)],
])('%s as long as a file may be is refused', (_what, cell) => {
  expect(
    readOrRefuse(['invalid_request'], () => readMembershipCsv(`user,hirerId,roles\n${cell},b,c`)),
  ).toBeUndefined();
});
