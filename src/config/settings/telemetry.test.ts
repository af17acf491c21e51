import { TELEMETRY } from './telemetry.js';

test('headers of the collector are name=value pairs; a malformed one is a fault that repeats no value', () => {
  const { parse } = TELEMETRY.OTEL_EXPORTER_OTLP_HEADERS;
  expect(parse('x-api-key=a=b, x-tenant = two words')).toEqual({
    value: { 'x-api-key': 'a=b', 'x-tenant': 'two words' },
  });
  for (const text of ['x-api-key=a,s3cret', 'x-api-key=', '=s3cret', 's3 cret=a', 'x-api-key=s3\ncret']) {
    expect(parse(text)).toEqual({ fault: expect.stringMatching(/^pair \d must be written as name=value$/) });
  }
});

test('resource attributes are name=value pairs, percent-encoded; a malformed one is a fault', () => {
  const { parse } = TELEMETRY.OTEL_RESOURCE_ATTRIBUTES;
  expect(parse('service.namespace=hiring, team=jobs%2C%20ads,note=a=b')).toEqual({
    value: { 'service.namespace': 'hiring', team: 'jobs, ads', note: 'a=b' },
  });
  for (const text of ['team', 'team=', '=jobs', 'team=%', 'team=%ff']) {
    expect(parse(text)).toEqual({
      fault: expect.stringMatching(
        /^pair 1 (must be written as name=value|has a value that is not percent-encoded)/,
      ),
    });
  }
});

test('OTEL_SERVICE_NAME is a short printable text', () => {
  const { parse } = TELEMETRY.OTEL_SERVICE_NAME;
  expect(parse('jobs-bff (blue)')).toEqual({ value: 'jobs-bff (blue)' });
  for (const text of ['a\nb', ' ', 'a ', 'x'.repeat(256)]) expect(parse(text)).toHaveProperty('fault');
});
