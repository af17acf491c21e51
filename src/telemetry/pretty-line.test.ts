import { prettyLine } from './pretty-line.js';

describe('a line for a terminal', () => {
  const USER = '241bac18-8323-8983-b153-5336e0af0ec2';
  const text = (line: object): string =>
    prettyLine(JSON.stringify({ level: 'info', time: '2026-11-25T20:39:43.120Z', ...line })).replace(
      /^\d\d:\d\d:\d\d /,
      '',
    );
  const request = {
    msg: 'request',
    requestId: USER,
    method: 'POST',
    route: '/auth/token',
    status: 200,
    ms: 27,
  };

  test('is one for a request, with its user', () => {
    expect(text({ ...request, user: USER })).toBe(`POST /auth/token 200 27 ms ${USER}\n`);
    expect(text({ ...request, status: 401, code: 'unauthenticated', reason: 'expired' })).toBe(
      'POST /auth/token 401 27 ms unauthenticated expired\n',
    );
  });

  test.each([
    ['is none for what a page or a probe reads', { method: 'GET' }, 0],
    ['is one where such a read fails', { method: 'GET', status: 404 }, 1],
    ['is one where an end user reads', { method: 'GET', user: USER }, 1],
  ])('%s', (_name, changes, count) => {
    expect(text({ ...request, ...changes }).split('\n').length - 1).toBe(count);
  });

  test('shows control characters in a text instead of obeying them', () => {
    expect(text({ msg: 'stored', id: 'a\u001b[2J\nforged' })).toBe('stored id=a\\u001b[2J\\u000aforged\n');
  });

  test('has the members of any other record, and the causes of an error', () => {
    expect(
      text({ msg: 'listening', service: 'partner-bff', public: 'http://127.0.0.1:3000', items: 2 }),
    ).toBe('listening public=http://127.0.0.1:3000 items=2\n');
    const errorOf = (code?: string): object => ({
      level: 'error',
      msg: 'it failed',
      err: {
        chain: [{ name: 'Error', message: 'no token', code }],
        stack: 'Error: no token\n    at issuer.ts:1:1',
      },
    });
    expect(text(errorOf('unavailable'))).toBe('ERROR it failed\n  Error: no token\n');
    expect(text(errorOf())).toBe('ERROR it failed\n  Error: no token\n    at issuer.ts:1:1\n');
  });
});
