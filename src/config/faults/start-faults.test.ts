import { ConfigError } from '../load-config.js';
import { listenFault, UnavailableError } from './start-faults.js';

const failing = (code: string, syscall: string): Error =>
  Object.assign(new Error(`${syscall} ${code}: why 192.0.2.1:80`), { code, syscall, port: 80 });

test.each<[string, string, typeof ConfigError | typeof UnavailableError, RegExp]>([
  ['EADDRINUSE', 'listen', UnavailableError, /OPS_PORT: port 80 is used by another process/],
  ['EACCES', 'listen', ConfigError, /OPS_PORT names a port that this user may not open/],
  ['EADDRNOTAVAIL', 'listen', ConfigError, /OPS_HOST does not name an address/],
  ['EAI_AGAIN', 'getaddrinfo', UnavailableError, /OPS_HOST names an address.*EAI_AGAIN/],
  ['EAFNOSUPPORT', 'listen', UnavailableError, /OPS_HOST names an address.*EAFNOSUPPORT/],
])(
  'a listener that fails with %s is told by its settings, without their values',
  (code, syscall, type, text) => {
    const fault = listenFault(failing(code, syscall), 'OPS_PORT', 'OPS_HOST');
    expect(fault).toBeInstanceOf(type);
    expect(String(fault)).toMatch(text);
    expect(String(fault)).not.toContain('192.0.2.1');
  },
);

test('an error of the program itself stays what it is', () => {
  const fault = new TypeError('not a function');
  expect(listenFault(fault, 'PORT', 'HOST')).toBe(fault);
});
