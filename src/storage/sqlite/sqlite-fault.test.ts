import { StoreError } from '../../errors/store-error.js';
import { errorOf } from './sqlite-fault.js';

test.each([
  ['FULL', 13],
  ['IOERR_WRITE', 778],
  ['READONLY_DBMOVED', 1_032],
  ['BUSY_SNAPSHOT', 517],
  ['CORRUPT_INDEX', 779],
])('%s is a fault of the store', (message, errcode) => {
  expect(errorOf({ message, errcode })).toMatchObject({ store: 'database', message, cause: { errcode } });
});

test.each([
  ['ERROR', 1],
  ['CONSTRAINT_UNIQUE', 2_067],
  ['RANGE', 25],
  ['of no code', undefined],
])('%s is a mistake of ours', (message, errcode) => {
  const error = errorOf({ message, errcode });
  expect(error).not.toBeInstanceOf(StoreError);
  expect(error).toMatchObject({ message, errcode });
});
