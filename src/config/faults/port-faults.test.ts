import { portFaults, type ListenerSettings } from './start-faults.js';

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
