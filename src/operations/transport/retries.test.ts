import { ExchangeFault } from '../../http/outgoing/exchange.js';
import { Retries } from './retries.js';

const REFUSED = new ExchangeFault('connection');

function setUp() {
  const retries = new Retries(() => 0);
  const spendAll = (): number => {
    let spent = 0;
    while (retries.spend(REFUSED, Infinity) !== undefined) spent += 1;
    return spent;
  };
  return { retries, spendAll };
}

test('further calls are a tenth of all, and at most ten after a quiet time', () => {
  const { retries, spendAll } = setUp();
  expect(spendAll()).toBe(10);
  for (let call = 0; call < 55; call += 1) retries.earn();
  expect(spendAll()).toBe(5);
  for (let call = 0; call < 1_000; call += 1) retries.earn();
  expect(spendAll()).toBe(10);
});

test('nothing is sent again that would come after the deadline, or before the upstream wants it', () => {
  const { retries } = setUp();
  expect(retries.spend(REFUSED, Infinity)).toBe(25);
  expect(retries.spend(REFUSED, performance.now() + 10)).toBeUndefined();
  const busy = { status: 503, headers: { 'retry-after': '2' }, body: Buffer.from('busy') };
  expect(retries.spend(busy, Infinity)).toBeUndefined();
});

test.each([
  ['a timeout', new ExchangeFault('timeout')],
  ['a connection that broke within the answer', new ExchangeFault('connection', 200)],
  ['a caller who disconnected', new ExchangeFault('aborted')],
  ['an answer that is too large', new ExchangeFault('too_large', 200)],
  ['a 500', { status: 500, headers: {}, body: Buffer.from('') }],
])('%s is not repeated', (_what, failed) => {
  expect(setUp().retries.spend(failed, Infinity)).toBeUndefined();
});
