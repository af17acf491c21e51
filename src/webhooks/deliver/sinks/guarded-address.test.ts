import type { lookup } from 'node:dns';
import {
  AddressRefused,
  guardedLookup,
  isAllowedAddress,
  isRefusedLiteral,
  type Reach,
} from './guarded-address.js';

const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '93.184.216.34',
  '203.0.112.1',
  '2606:4700:4700::1111',
  '2a00:1450:4001::1',
  '64:ff9b::808:808',
];
const OWN_NETWORK = [
  ...['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.254', '192.168.0.1', '192.168.255.255'],
  ...['100.64.0.1', '100.127.255.254', '127.0.0.1', '127.1.2.3', '::1', 'fc00::1', 'fd12:3456::1'],
  ...['::ffff:10.0.0.1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:192.168.1.1'],
];
const NEVER = [
  ...['0.0.0.0', '0.1.2.3', '169.254.169.254', '169.254.0.1', '192.0.0.1', '192.0.2.1', '192.88.99.1'],
  ...['198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.255'],
  ...['240.0.0.1', '255.255.255.255', '::', 'fe80::1', 'febf::1', 'fec0::1', 'ff02::1', '2001:db8::1'],
  ...['2001::1', '2001:10::1', '2001:20::1', '2002:7f00:1::', '2002:a00:1::', '64:ff9b::7f00:1'],
  ...['64:ff9b::a00:1', '2002:808:808::', '100::1'],
  ...['::ffff:169.254.169.254', '::ffff:0.0.0.0', '3fff::1'],
  ...['5f00::1', '::ffff:0:127.0.0.1', 'fe80::1%eth0', '', 'localhost', '1.2.3', '999.1.1.1', '0x7f.1'],
];

const within = (reach: Reach) => (address: string) => isAllowedAddress(address, reach);

describe('where a server may be', () => {
  test.each(PUBLIC)('%s is on the internet', (address) => {
    expect(isAllowedAddress(address, 'public')).toBe(true);
    expect(isAllowedAddress(address, 'private')).toBe(true);
    expect(isAllowedAddress(address, 'loopback')).toBe(false);
  });

  test.each(OWN_NETWORK)('%s needs permission', (address) => {
    expect(isAllowedAddress(address, 'public')).toBe(false);
    expect(isAllowedAddress(address, 'private')).toBe(true);
  });

  test.each(NEVER)('%s is never allowed', (address) => {
    const reaches = ['public', 'private', 'loopback'] as const;
    expect(reaches.filter((reach) => isAllowedAddress(address, reach))).toEqual([]);
  });

  test('an address in the URL is judged without being resolved, a name is not', () => {
    expect(isRefusedLiteral('[::ffff:a00:1]', within('public'))).toBe(true);
    expect(isRefusedLiteral('169.254.169.254', within('private'))).toBe(true);
    expect(isRefusedLiteral('sink.example', within('public'))).toBe(false);
  });
});

describe('resolving a name', () => {
  const resolveTo = (...addresses: string[]) =>
    ((_name: string, _options: unknown, done: (fault: null, all: unknown) => void) =>
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      )) as unknown as typeof lookup;

  const ask = (resolver: typeof lookup, all: boolean): Promise<unknown> =>
    new Promise((resolve, reject) =>
      guardedLookup(within('public'), resolver)('sink.example', { all }, (fault, address) =>
        fault ? reject(fault) : resolve(address),
      ),
    );

  test('gives the judged addresses to connect to', async () => {
    expect(await ask(resolveTo('1.1.1.1'), false)).toBe('1.1.1.1');
    expect(await ask(resolveTo('1.1.1.1', '2606:4700::1'), true)).toHaveLength(2);
    expect(await ask(resolveTo('8.8.8.8', '64:ff9b::808:808'), true)).toHaveLength(2);
  });

  test.each([[['10.0.0.1']], [['1.1.1.1', '127.0.0.1']], [['8.8.8.8', '64:ff9b::a00:1']], [[]]])(
    'refuses %j',
    async (addresses) => {
      await expect(ask(resolveTo(...addresses), true)).rejects.toThrow(AddressRefused);
    },
  );
});
