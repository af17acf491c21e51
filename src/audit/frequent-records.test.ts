import { FrequentRecords } from './frequent-records.js';
import type { AuditRecord } from './audit-record.js';

const USERS_MAX = 3;

function refusal(user: string, time = 1_000): AuditRecord {
  return { time, requestId: 'r', action: 'token', outcome: 'hirer_forbidden', user };
}

test('at as many users as are remembered, what was counted is written, and counting begins anew', () => {
  const frequent = new FrequentRecords(USERS_MAX);
  const written: AuditRecord[] = [];
  const refuse = (user: string, times: number): void => {
    for (let i = 0; i < times; i += 1) written.push(...frequent.add(refusal(user)));
  };
  for (const user of ['a', 'b']) refuse(user, 310);
  expect(written).toHaveLength(2 * 300);
  refuse('c', 1);
  refuse('d', 1);
  const counted = written.flatMap(({ user, count }) => (count === undefined ? [] : [[user, count]]));
  expect(counted).toEqual([
    ['a', 10],
    ['b', 10],
  ]);
  expect(frequent.end()).toEqual([]);
});

test('where the clock steps back, what was counted is written, and counting begins anew', () => {
  const frequent = new FrequentRecords();
  const refuse = (time: number): readonly AuditRecord[] => frequent.add(refusal('a', time));
  for (let i = 0; i < 310; i += 1) refuse(7_200_000);
  const steppedBack = refusal('a', 3_600_000);
  expect(frequent.add(steppedBack)).toEqual([
    expect.objectContaining({ user: 'a', count: 10, lastAt: 7_200_000 }),
    steppedBack,
  ]);
  expect(refuse(3_600_000)).toHaveLength(1);
});
