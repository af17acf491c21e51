import { UPSTREAM } from './upstream.js';

test.each<[string, string | undefined]>([
  ['http://proxy.partner.test:3128', undefined],
  ['https://name:p%40ss@proxy.partner.test', undefined],
  ['proxy.partner.test:3128', 'must be an absolute URL with scheme http or https'],
  ['http://proxy.partner.test/path', 'must have no path, query or fragment'],
  ['http://name:%@proxy.partner.test', 'holds malformed percent-encoding'],
])('the outbound proxy %s: %s', (text, fault) => {
  expect(UPSTREAM.OUTBOUND_PROXY.parse(text)).toEqual(fault ? { fault } : { value: new URL(text) });
});
