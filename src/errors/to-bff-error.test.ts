import { BffError } from './bff-error.js';
import { StoreError } from './store-error.js';
import { toBffError } from './to-bff-error.js';

test('a store that fails is unavailable, by its name and with its error as the cause', () => {
  const fault = new StoreError('database', 'connection refused');
  const { code, status, retryAfterSeconds, cause, detail } = toBffError(fault);
  expect({ code, status, retryAfterSeconds, cause }).toEqual({
    code: 'unavailable',
    status: 503,
    retryAfterSeconds: 1,
    cause: fault,
  });
  expect(detail).not.toContain('refused');
});

test('an error of ours stays as it is, and any other is internal', () => {
  const own = new BffError('unavailable', { retryAfterSeconds: 30 });
  expect(toBffError(own)).toBe(own);
  const fault = new Error('no such table');
  expect(toBffError(fault)).toMatchObject({ code: 'internal_error', status: 500, cause: fault });
});
