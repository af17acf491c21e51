import { hostname } from 'node:os';
import { VERSION } from '../config/version.js';
import { openLog, scrub, writeInfo, type Log } from './log.js';

describe('the log', () => {
  let lines: string[];
  let log: Log;
  const read = (line = lines[0]!): Record<string, string> => JSON.parse(line) as Record<string, string>;

  beforeEach(() => {
    lines = [];
    log = open();
  });

  const open = (names: Parameters<typeof openLog>[0] | object = {}): Log =>
    openLog({ LOG_LEVEL: 'info', ...names }, { write: (line: string) => void lines.push(line) });

  test('names service, version and replica in each line', () => {
    open().info('by default');
    open({
      OTEL_RESOURCE_ATTRIBUTES: { 'service.name': 'of-attributes', 'service.instance.id': 'pod-1' },
    }).info('');
    const names = { OTEL_SERVICE_NAME: 'own "name"', REPLICA_NAME: 'two' };
    open({ ...names, OTEL_RESOURCE_ATTRIBUTES: { 'service.name': 'other' } }).info('');
    writeInfo(open(names), 1_000, '"ms":1', 'request');
    expect(lines.map((line) => read(line))).toMatchObject([
      { service: 'partner-bff', version: VERSION, replica: hostname() },
      { service: 'of-attributes', version: VERSION, replica: 'pod-1' },
      { service: 'own "name"', replica: 'two' },
      { service: 'own "name"', version: VERSION, replica: 'two', ms: 1 },
    ]);
  });

  test('writes a line that is put together elsewhere as it writes one of its own', () => {
    const fields = { requestId: 'r', route: '/x/:id', status: 200, token: 'Bearer opaque-secret' };
    log.info(fields, 'request');
    writeInfo(log, Date.parse(read()['time']!), JSON.stringify(fields).slice(1, -1), 'request');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toBe(lines[0]);
    expect(lines[1]).toContain('[redacted]');
  });

  test('leaves a line out that is put together elsewhere when its level is off', () => {
    log.level = 'warn';
    writeInfo(log, 1_000, '"ms":1', 'request');
    expect(lines).toEqual([]);
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
