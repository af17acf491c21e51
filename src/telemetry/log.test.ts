import { openLog, scrub, type Log } from './log.js';

describe('the log', () => {
  let lines: string[];
  beforeEach(() => {
    lines = [];
  });

  const open = (): Log => openLog({ LOG_LEVEL: 'info' }, { write: (line: string) => void lines.push(line) });

  test.each(['2026-02-28T23:59:59.999Z', '2026-03-01T00:00:00.007Z', '1999-12-31T23:59:59.070Z'])(
    'says when: %s',
    (time) => {
      const log = open();
      const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.parse(time));
      log.info('');
      log.info('');
      clock.mockRestore();
      expect(lines.map((line) => (JSON.parse(line) as { time: string }).time)).toEqual([time, time]);
    },
  );
});

describe('the scrubber', () => {
  const JWS = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl';
  const JWE = 'eyJhbGciOiJkaXIifQ..aXY.Y2lwaGVydGV4dA.dGFn';

  test.each([
    [`token ${JWS} was refused`, 'token [redacted] was refused'],
    [`"${JWE}"`, '"[redacted]"'],
    [`first\\n${JWS}`, 'first\\n[redacted]'],
    [`token_${JWS}`, 'token_[redacted]'],
    [`eyJab.${JWS}`, '[redacted]'],
    [`Authorization: Bearer opaque-secret/value==`, 'Authorization: [redacted]'],
    ['eyJust a word', 'eyJust a word'],
    ['Bearer of news', 'Bearer of news'],
  ])('of %s leaves %s', (line, expected) => expect(scrub(line)).toBe(expected));
});
