import { CallCondition } from './call-condition.js';

let now: number;
let changes: number;
let calls: CallCondition;

beforeEach(() => {
  [now, changes] = [1_000_000, 0];
  calls = new CallCondition(
    'graphql',
    () => (changes += 1),
    () => now,
  );
});

const fail = (times = 1): void => {
  for (let index = 0; index < times; index += 1) calls.failed('5xx');
};
const succeed = (times = 1): void => {
  for (let index = 0; index < times; index += 1) calls.succeeded();
};

test('begins with the third failure in a row, and says why the last one failed', () => {
  succeed(100);
  fail(2);
  succeed();
  fail(2);
  expect(calls.fault).toBeUndefined();
  calls.failed('timeout');
  expect(calls.fault).toBe('graphql: timeout');
});

test('an outage lasts however quiet it is, and ends with the first success, however many calls it took', () => {
  fail(50);
  now += 86_400_000;
  expect(calls.fault).toBeDefined();
  fail(50);
  succeed();
  expect(calls.fault).toBeUndefined();
  expect(changes).toBe(2);
});

test('failures that go on after a success are an outage while half of at least ten calls of a minute fail', () => {
  fail(5);
  succeed();
  expect(calls.fault).toBeUndefined();
  fail(2); // 7 of 8
  expect(calls.fault).toBeUndefined();
  succeed();
  fail(2); // 9 of 11
  expect(calls.fault).toBeDefined();
  succeed(7); // 9 of 18
  expect(calls.fault).toBeDefined();
  succeed();
  expect(calls.fault).toBeUndefined();
});

test('a minute later, what failed before says nothing any more', () => {
  for (let index = 0; index < 10; index += 1) {
    fail(2);
    succeed();
  }
  expect(calls.fault).toBeDefined();
  now += 65_000;
  expect(calls.fault).toBeUndefined();
});

test('a few failures among many calls are none', () => {
  for (let index = 0; index < 100; index += 1) {
    fail();
    succeed(2);
  }
  expect(changes).toBe(0);
});
