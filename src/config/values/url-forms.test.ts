import { isLoopbackHost } from './url-forms.js';

test.each([
  'localhost',
  'LOCALHOST',
  '127.0.0.1',
  '127.255.0.9',
  '::1',
  '[::1]',
  '::ffff:127.0.0.1',
  '[::ffff:7f00:1]',
  '0:0:0:0:0:0:0:1',
])('%s is this machine', (host) => expect(isLoopbackHost(host)).toBe(true));

test.each([
  '::',
  '0.0.0.0',
  '10.0.0.1',
  '::ffff:10.0.0.1',
  'localhost.evil.test',
  'evil.localhost',
  '127.0.0.1.evil.test',
  '127.0.0.256',
  '',
])('%s is not loopback', (host) => expect(isLoopbackHost(host)).toBe(false));
