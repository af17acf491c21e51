import { StoreError } from '../../errors/store-error.js';
import { toStoreError } from './postgres-fault.js';

const answer = (code: string): Error =>
  Object.assign(new Error('answered by the server'), { severity: 'ERROR', code });

test.each([
  '08006',
  '28P01',
  '3D000',
  '40P01',
  '42501',
  '53100',
  '55P03',
  '57014',
  '58030',
  'XX001',
  '25006',
])('a server that answers %s is at fault', (code) => {
  expect(toStoreError(answer(code))).toMatchObject({ store: 'database', cause: { code } });
});

test.each(['08P01', '22021', '22P02', '23505', '25001', '42601', '42P01'])(
  'a statement that is answered with %s is a mistake of ours',
  (code) => {
    const error = answer(code);
    expect(toStoreError(error)).toBe(error);
  },
);

test('whatever the server did not answer is a fault of the store, but for mistakes before it was asked', () => {
  expect(toStoreError(new Error('Connection terminated'))).toBeInstanceOf(StoreError);
  expect(toStoreError(new AggregateError([], ''))).toMatchObject({ message: 'AggregateError' });
  const mistake = new TypeError('a value that cannot be sent');
  expect(toStoreError(mistake)).toBe(mistake);
});
