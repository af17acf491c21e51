import { Metrics } from '../../telemetry/metrics.js';
import type { CallOutcome } from './circuit-breaker.js';
import { UserBreakers } from './user-breakers.js';

const person = (name: string) => ({ user: name, voter: name });
const delivery = (hirer: number) => ({ user: `deliveries of ${hirer}`, voter: 'machines' });
const CALLS = 10;

function open() {
  const breakers = new UserBreakers(new Metrics(), () => 0);
  const call = (caller: ReturnType<typeof person>, outcome: CallOutcome): void => {
    for (let count = 0; count < CALLS; count += 1) breakers.enter(caller)(outcome);
  };
  return { breakers, call };
}

test('deliveries for many hirers that fail hold no person back', () => {
  const { breakers, call } = open();
  call(person('ada'), 'succeeded');
  for (let hirer = 0; hirer < 20; hirer += 1) call(delivery(hirer), 'failed');
  expect(breakers.sharedWaitMs(person('ada'))).toBe(0);
});

test('deliveries that fail count as one more beside persons whose calls fail', () => {
  const { breakers, call } = open();
  call(person('ada'), 'failed');
  expect(breakers.sharedWaitMs(person('bob'))).toBe(0);
  call(delivery(1), 'failed');
  expect(breakers.sharedWaitMs(person('bob'))).toBeGreaterThan(0);
});
