import { readStartOptions, runControl } from './command-line.js';

describe('readStartOptions', () => {
  test('reads flags and the environment; flags take precedence', () => {
    const environment = {
      PLAYGROUND_PORT: '4000',
      PLAYGROUND_UNKNOWN_ID: 'NOT_FOUND',
      PORT: '1',
      PLAYGROUND_URL: 'x',
    };
    expect(
      readStartOptions(environment, ['--port=0', '--tls', '--batching=false', '--client-id=me']),
    ).toEqual({
      port: 0,
      tls: true,
      client: { clientId: 'me' },
      switches: { unknownId: 'NOT_FOUND', batching: false },
    });
  });

  test.each([
    [['--prot=1'], /prot is not known/],
    [['--port=many'], /port is not a number/],
    [['--tls=maybe'], /tls is true or false/],
    [['--mutations=some'], /mutations is one of/],
    [['port=1'], /not a flag/],
  ])('refuses %j', (flags, message) => {
    expect(() => readStartOptions({}, flags)).toThrow(message);
  });
});

test('what Kubernetes sets for a Service called playground is no option', () => {
  const links = {
    PLAYGROUND_SERVICE_HOST: '10.0.0.7',
    PLAYGROUND_SERVICE_PORT_HTTP: '80',
    PLAYGROUND_PORT: 'tcp://10.0.0.7:80',
    PLAYGROUND_PORT_80_TCP_ADDR: '10.0.0.7',
  };
  expect(readStartOptions(links, [])).toEqual(readStartOptions({}, []));
});

test.each([
  [{ PLAYGROUND_PORT: '1' }, 'http://127.0.0.1:1'],
  [{ PLAYGROUND_PORT: '1', PLAYGROUND_TLS: 'true' }, 'https://127.0.0.1:1'],
  [{ PLAYGROUND_PORT: '1', PLAYGROUND_URL: 'http://127.0.0.1:2' }, 'http://127.0.0.1:2'],
])('a control goes to the playground that %j names', async (environment, origin) => {
  await expect(runControl('calls', [], environment)).rejects.toThrow(
    `No playground answers at ${origin}. Start one, or set PLAYGROUND_URL or PLAYGROUND_PORT.`,
  );
});

test('a control that there is not is refused by its name, whether a playground runs or not', async () => {
  await expect(runControl('evnts', [], { PLAYGROUND_URL: 'http://127.0.0.1:1' })).rejects.toThrow(
    /^evnts is not a control\.\n/,
  );
});

test.each([
  ['tokens/expire', 'tokens/expire needs one or more values: kind=partner|browser hirerId=….'],
  ['events', /^events needs values: type=CandidateApplicationCreated\|.* \[count=…\] \[hirerId=…\]/],
  ['webhooks/replay', 'webhooks/replay needs values: subscriptionId=… eventIds=….'],
])('without values, %s says what it takes', async (control, message) => {
  await expect(runControl(control, [], { PLAYGROUND_URL: 'http://127.0.0.1:1' })).rejects.toThrow(message);
});
