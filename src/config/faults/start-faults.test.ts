import { ConfigError } from '../load-config.js';
import { listenFault, portFaults, UnavailableError, type ListenerSettings } from './start-faults.js';

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

const APART: ListenerSettings = {
  PORT: 3000,
  HOST: '0.0.0.0',
  OPS_PORT: 3001,
  OPS_HOST: '127.0.0.1',
  PLAYGROUND_PORT: 3010,
  playground: true,
};

test.each<[string, Partial<ListenerSettings>]>([
  ['the defaults', {}],
  ['any free ports', { PORT: 0, OPS_PORT: 0, PLAYGROUND_PORT: 0 }],
  ['one port of two addresses', { HOST: '192.0.2.1', OPS_PORT: 3000 }],
  ['the port of a playground that is not started', { PORT: 3010, playground: false }],
])('%s do not collide', (_what, change) => {
  expect(portFaults({ ...APART, ...change })).toEqual([]);
});

test.each<[string, Partial<ListenerSettings>, string]>([
  ['the ops listener', { PORT: 3001 }, 'OPS_PORT is the same as PORT'],
  ['the ops listener on every address', { OPS_HOST: '::', PORT: 3001 }, 'OPS_PORT is the same as PORT'],
  ['the upstream of the playground', { PORT: 3010 }, 'PLAYGROUND_PORT is the same as PORT'],
  ['the issuer of the playground', { OPS_PORT: 3011 }, 'PLAYGROUND_PORT + 1 is the same as OPS_PORT'],
])('a port that is also that of %s is a fault that names both settings', (_what, change, fault) => {
  expect(portFaults({ ...APART, ...change })).toEqual([`${fault}; choose another`]);
});
