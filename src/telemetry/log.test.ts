import { logAsOf, openLog, scrub, writeInfo, type Log } from './log.js';

describe('the log', () => {
  let lines: string[];
  let log: Log;
  const times = (): number[] => lines.map((line) => Date.parse((JSON.parse(line) as { time: string }).time));

  beforeEach(() => {
    lines = [];
    log = openLog(
      { LOG_LEVEL: 'info', LOG_FORMAT: 'json' },
      { write: (line: string) => void lines.push(line) },
    );
  });

  test('gives a line that is written late the time of its event, and the next line its own', () => {
    const before = Date.now();
    logAsOf(1_000, () => log.info('late'));
    log.info('now');
    expect(times()[0]).toBe(1_000);
    expect(times()[1]).toBeGreaterThanOrEqual(before);
  });

  test('writes a line that is put together elsewhere as it writes one of its own', () => {
    const fields = { requestId: 'r', route: '/x/:id', status: 200, token: 'Bearer opaque-secret' };
    logAsOf(1_000, () => log.info(fields, 'request'));
    writeInfo(log, 1_000, JSON.stringify(fields).slice(1, -1), 'request');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toBe(lines[0]);
    expect(lines[1]).toContain('[redacted]');
  });

  test('leaves a line out that is put together elsewhere when its level is off', () => {
    log.level = 'warn';
    writeInfo(log, 1_000, '"ms":1', 'request');
    expect(lines).toEqual([]);
  });

  test('keeps the time right even if writing fails', () => {
    const before = Date.now();
    const fail = (): never => {
      throw new Error('full');
    };
    expect(() => logAsOf(1_000, fail)).toThrow('full');
    log.info('now');
    expect(times()[0]).toBeGreaterThanOrEqual(before);
  });
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
