import type { lookup } from 'node:dns';
import { DiscoveredKeySet, type KeySetPlaces } from '../../src/auth/keys/discovery.js';
import type { DependencyClients } from '../../src/http/outgoing/dependency-client.js';
import { dependencyClients } from '../support/parts.js';
import { json, startJsonServer, type JsonServer } from '../support/json-server.js';

const SET = { keys: [] };
const NONE: KeySetPlaces = { httpHosts: [] };

/** Has documents and sets; every host that ends with `.test` is called here, but not resolved. */
let server: JsonServer;
let clients: DependencyClients;
beforeEach(async () => {
  server = await startJsonServer(json(SET));
  const real = dependencyClients();
  clients = Object.assign(Object.create(real) as DependencyClients, {
    open: ((dependency, origin, ...rest) =>
      real.open(
        dependency,
        origin.hostname.endsWith('.test') ? server.url : origin,
        ...rest,
      )) satisfies DependencyClients['open'],
  });
});

/** The paths that were asked for when the discovery document of an issuer names a JWK set, and what came of it. */
async function discover(issuer: string, jwksUri: string, places: Partial<KeySetPlaces> = {}) {
  server.answer = (received, response) => {
    const document = { issuer, jwks_uri: jwksUri };
    json(received.url.startsWith('/.well-known/') ? document : SET)(received, response);
  };
  const endpoint = new DiscoveredKeySet(issuer, clients, { ...NONE, ...places });
  const outcome = await endpoint.fetch().catch((error: Error) => `${error.message}: ${String(error.cause)}`);
  await endpoint.close();
  return { outcome, paths: server.received.slice(1).map(({ url }) => url) };
}
const localUri = (host = '127.0.0.1') => `http://${host}:${server.url.port}/keys`;
const localIssuer = () => server.url.origin;

test.each(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '127.9.9.9'])(
  'an issuer elsewhere has no JWK set at %s',
  async (host) => {
    const { outcome, paths } = await discover('https://idp.test', localUri(host));
    expect(outcome).not.toEqual(SET);
    expect(paths).toEqual([]);
  },
);

test('an issuer on loopback may have its set there', async () => {
  const { outcome, paths } = await discover(localIssuer(), localUri());
  expect({ outcome, paths }).toEqual({ outcome: SET, paths: ['/keys'] });
});

test.each([
  ['169.254.169.254', 'https://169.254.169.254/keys'],
  ['fe80::1', 'https://[fe80::1]/keys'],
  ['an IPv4-mapped one', 'https://[::ffff:169.254.169.254]/keys'],
  ['one behind NAT64', 'https://[64:ff9b::a9fe:a9fe]/keys'],
])('nobody sends the service to a link-local address: %s', async (_title, uri) => {
  for (const issuer of ['https://idp.test', localIssuer()]) {
    expect((await discover(issuer, uri)).outcome).toMatch('address that is not allowed');
  }
});

test.each([
  ['127.0.0.1', 'https://idp.test'],
  ['169.254.169.254', 'https://idp.test'],
  ['::ffff:a9fe:a9fe', undefined],
  ['64:ff9b::a9fe:a9fe', undefined],
])('a name is judged by the address it has at the connection: %s', async (address, issuer) => {
  const resolver = ((_name: string, _options: unknown, done: (fault: null, all: unknown) => void) =>
    done(null, [
      { address: '10.0.0.1', family: 4 },
      { address, family: address.includes(':') ? 6 : 4 },
    ])) as unknown as typeof lookup;
  const uri = 'https://keys.example/keys';
  const { outcome } = await discover(issuer ?? localIssuer(), uri, { resolver });
  expect(outcome).toMatch('address that is not allowed');
});

test('a set is fetched over plain http from a host of HTTP_HOSTS, and from no other', async () => {
  const httpHosts = ['keys.test'];
  expect(await discover('https://idp.test', 'http://keys.test/keys', { httpHosts })).toEqual({
    outcome: SET,
    paths: ['/keys'],
  });
  for (const uri of ['http://other.test/keys', 'http://keys.test.evil.test/keys']) {
    expect((await discover('https://idp.test', uri, { httpHosts })).outcome).toMatch('no https jwks_uri');
  }
});
