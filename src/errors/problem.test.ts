import { BffError } from './bff-error.js';
import { ERROR_CODES, type ErrorCode } from './error-codes.js';
import { problemHeaders } from './problem.js';

const codes = Object.keys(ERROR_CODES) as ErrorCode[];
const challengeOf = (code: ErrorCode): string | undefined =>
  problemHeaders(new BffError(code))['www-authenticate'];

test.each(codes.filter((code) => ERROR_CODES[code].status === 401))(
  'every 401 says how to authenticate (RFC 9110 section 15.5.2): %s',
  (code) => expect(challengeOf(code)).toMatch(/^[A-Z][a-z]+$/),
);

test('a scope that may not be requested says so as RFC 6750 has it, and no other refusal does', () => {
  expect(challengeOf('scope_forbidden')).toBe('Bearer error="insufficient_scope"');
  expect(codes.filter((code) => ERROR_CODES[code].status !== 401 && challengeOf(code))).toEqual([
    'scope_forbidden',
  ]);
});

test('a used-up limit says when to come back', () => {
  expect(problemHeaders(new BffError('rate_limited', { retryAfterSeconds: 37 }))).toEqual({
    'retry-after': '37',
  });
  expect(problemHeaders(new BffError('rate_limited'))).toEqual({ 'retry-after': '1' });
});
