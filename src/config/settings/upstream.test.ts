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

test.each([
  ['all of visible ASCII: /+"\\ %41~', true],
  ['caf\u00e9', false],
  ['a\tb', false],
])('the client secret %j, of the characters of RFC 6749 appendix A.2: %s', (text, isTaken) => {
  const fault = { fault: 'must be a text in printable ASCII' };
  expect(UPSTREAM.PARTNER_CLIENT_SECRET.parse(text)).toEqual(isTaken ? { value: text } : fault);
});
