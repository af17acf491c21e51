import { BffError } from '../errors/bff-error.js';
import { readMembershipCsv } from './membership-csv.js';

function faultsOf(text: string): string[] {
  try {
    readMembershipCsv(text);
    return [];
  } catch (error) {
    if (!(error instanceof BffError)) throw error;
    return error.errors!.map(({ field, message }) => `${field}: ${message}`);
  }
}

describe('memberships from CSV', () => {
  test.each([
    [
      'plain rows',
      'user,hirerId,roles\na,h1,member\nb,h2,admin viewer\n',
      [
        ['a', 'h1', 'member'],
        ['b', 'h2', 'admin viewer'],
      ],
    ],
    ['no roles, no last line end', 'user,hirerId,roles\na,h1,', [['a', 'h1', 'member']]],
    ['a row of two cells', 'user,hirerId,roles\na,h1\n', [['a', 'h1', 'member']]],
    [
      'a byte order mark, CRLF, empty lines and spaces',
      '\uFEFFuser,hirerId,roles\r\n\r\n a , h1 , member \r\n\r\n',
      [['a', 'h1', 'member']],
    ],
    ['quotes', 'user,hirerId,roles\n"a,b ""c""",h1,"x y"\n', [['a,b "c"', 'h1', 'x y']]],
  ])('reads %s', (_what, text, expected) => {
    const read = readMembershipCsv(text).map(({ user, hirerId, roles }) => [user, hirerId, roles.join(' ')]);
    expect(read).toEqual(expected);
  });

  test.each([
    ['another header', 'sub,hirer\na,h1', ['line 1: must be user,hirerId,roles']],
    ['nothing', '', ['line 1: must be user,hirerId,roles']],
    ['a row twice', 'user,hirerId,roles\na,h1,x\na,h1,y', ['line 3: repeats line 2']],
    ['too many cells', 'user,hirerId,roles\na,h1,x,y', ['line 2: has more than three cells']],
    ['a quote out of place', 'user,hirerId,roles\na"b,h1,x', ['line 2: has a quote out of place']],
    ['a quote that is not closed', 'user,hirerId,roles\na,"h1\n\n', ['line 2: has a quote out of place']],
    [
      'a carriage return on its own',
      'user,hirerId,roles\na,h1,x\rb,h2,y',
      ['line 2: has a carriage return out of place'],
    ],
    [
      'a bad row after a cell of several lines, by its own line',
      'user,hirerId,roles\r\na,h1,"x\r\n\r\ny"\r\n\r\n,h1,x\r\n',
      ['line 6: user'],
    ],
    [
      'every bad row at once, by its line in the file',
      'user,hirerId,roles\n,h1,x\n"two\nlines",h1,x\na,,x\na,h1,bad/role\n',
      ['line 2: user', 'line 3: user', 'line 5: hirerId', 'line 6: roles'],
    ],
  ])('refuses %s', (_what, text, expected) => {
    const faults = faultsOf(text);
    expect(faults).toHaveLength(expected.length);
    for (const [index, start] of expected.entries()) expect(faults[index]).toContain(start);
  });
});
