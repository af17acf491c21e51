import { validate } from '../../errors/validate.js';
import { IsTime, timeOf } from './listing-query.js';

class Query {
  @IsTime() since!: string;
}

test.each([
  '2026',
  '2026-01',
  '2026-01-02',
  '2026-01-02T03:04Z',
  '2026-01-02T03:04:05.678+07:00',
  '2026-01-02 03:04:05Z',
])('%s is a time', (since) => {
  expect(timeOf(validate(Query, { since }).since)).toBe(Date.parse(since));
});

test.each([
  '1',
  '-1',
  'last-7',
  '7 days 1',
  '2026-01-02T03:04:05 07:00',
  '2026-13-01',
  '1969',
  '1767323045000',
  '',
])('%s is none, although the runtime reads some of these as a time long past', (since) => {
  expect(() => validate(Query, { since })).toThrow(expect.objectContaining({ code: 'invalid_request' }));
});
