import { TELEMETRY } from './telemetry.js';

test('a collector is taken over plain http too, on any host', () => {
  const { parse } = TELEMETRY.OTEL_EXPORTER_OTLP_ENDPOINT;
  expect(parse('http://otel-collector:4318')).toEqual({ value: new URL('http://otel-collector:4318') });
  expect(parse('http://user:s3cret@otel-collector:4318')).toHaveProperty('fault');
});

test('headers of the collector are name=value pairs, percent-decoded; a malformed one is a fault that repeats no value', () => {
  const { parse } = TELEMETRY.OTEL_EXPORTER_OTLP_HEADERS;
  expect(parse('x-api-key=a=b, x-tenant = two words,Authorization=Basic%20dTpw')).toEqual({
    value: { 'x-api-key': 'a=b', 'x-tenant': 'two words', Authorization: 'Basic dTpw' },
  });
  for (const text of ['x-api-key=s3cret%', 'x-api-key=s3cret%0d%0aa:b']) {
    expect(parse(text)).toEqual({
      fault: expect.stringMatching(/^pair 1 has a value that (is not percent|no header)/),
    });
  }
  for (const text of ['x-api-key=a,s3cret', 'x-api-key=', '=s3cret', 's3 cret=a', 'x-api-key=s3\ncret']) {
    expect(parse(text)).toEqual({ fault: expect.stringMatching(/^pair \d must be written as name=value$/) });
  }
});
