import { readMembershipCsv } from './membership-csv.js';

describe('memberships from CSV', () => {
  test.each([
    [
      'plain rows',
      'user,hirerId,roles\na,s:h1,member\nb,s:h2,admin viewer\n',
      [
        ['a', 's:h1', 'member'],
        ['b', 's:h2', 'admin viewer'],
      ],
    ],
    ['no roles, no last line end', 'user,hirerId,roles\na,s:h1,', [['a', 's:h1', 'member']]],
    ['a row of two cells', 'user,hirerId,roles\na,s:h1\n', [['a', 's:h1', 'member']]],
    [
      'a byte order mark, CRLF, empty lines and spaces',
      '\uFEFFuser,hirerId,roles\r\n\r\n a , s:h1 , member \r\n\r\n',
      [['a', 's:h1', 'member']],
    ],
    ['quotes', 'user,hirerId,roles\n"a,b ""c""",s:h1,"x y"\n', [['a,b "c"', 's:h1', 'x y']]],
  ])('reads %s', (_what, text, expected) => {
    const read = readMembershipCsv(text).memberships.map(({ user, hirerId, roles }) => [
      user,
      hirerId,
      roles.join(' '),
    ]);
    expect(read).toEqual(expected);
  });

  test.each([
    ['another header', 'sub,hirer\n', ['line 1: must be user,hirerId,roles']],
    ['nothing', '', ['line 1: must be user,hirerId,roles']],
    ['too many cells', 'user,hirerId,roles\na,s:h1,x,y', ['line 2']],
    ['a quote out of place', 'user,hirerId,roles\na"b,s:h1,x', ['Invalid Opening Quote']],
    ['a quote that is not closed', 'user,hirerId,roles\na,"s:h1\n\n', ['Quote Not Closed']],
    [
      'a hirer by its name, its short id or a part of its id',
      'user,hirerId,roles\na,Banksia Health,x\na,93WyyF1h,x\na,seek::93WyyF1h,x\na,:seek:1,x\na,seek:,x',
      ['line 2', 'line 3', 'line 4', 'line 5', 'line 6'],
    ],
    [
      'every bad row at once, by its line in the file',
      'user,hirerId,roles\n,s:h1,x\na,,x\na,s:h1,bad/role\nb,s:h1,machine\n',
      ['line 2', 'line 3', 'line 4', 'line 5'],
    ],
  ])('refuses %s', (_what, text, expected) => {
    const { faults } = readMembershipCsv(text);
    expect(faults).toHaveLength(expected.length);
    for (const [index, start] of expected.entries()) expect(faults[index]).toContain(start);
  });
});
