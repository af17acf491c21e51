import { callerNetwork } from './rate-limits.js';

test('an IPv4 address is its own key, also when mapped into IPv6', () => {
  expect(callerNetwork('192.0.2.7')).toBe('192.0.2.7');
  expect(callerNetwork('::ffff:192.0.2.7')).toBe('192.0.2.7');
});

test('the addresses of one /64 share a key, those of another do not', () => {
  const key = callerNetwork('2001:db8:1:2::1');
  expect(callerNetwork('2001:db8:1:2:ffff:ffff:ffff:ffff')).toBe(key);
  expect(callerNetwork('2001:db8:1:3::1')).not.toBe(key);
});

test('a text that is not an address is its own key', () => {
  expect(callerNetwork('unknown')).toBe('unknown');
});
