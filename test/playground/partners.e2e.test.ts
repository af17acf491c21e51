import { runControl } from '../../playground/src/command/command-line.js';
import type { Partner } from '../../playground/src/partners/partners.js';
import { startPlayground, type Playground } from '../../playground/src/playground.js';
import { ask, BANKSIA, bearer, errorsOf, post } from './client.js';

const NAME = 'query($id: String!) { hiringOrganization(id: $id) { name } }';

describe('several partners side by side', () => {
  let playground: Playground;
  let first: Partner;
  let zenith: Partner;
  beforeAll(async () => {
    playground = await startPlayground({ port: 0, partners: ['zenith'] });
    [first, zenith] = playground.partners.list() as [Partner, Partner];
  });
  afterAll(() => playground.close());

  async function issue(partner: Partner, change: Record<string, string> = {}): Promise<[number, string]> {
    const settings = playground.settingsFor(partner);
    const response = await post(settings['ISSUER_TOKEN_URL'] ?? '', {
      grant_type: 'client_credentials',
      client_id: settings['PARTNER_CLIENT_ID'],
      client_secret: settings['PARTNER_CLIENT_SECRET'],
      audience: settings['PARTNER_AUDIENCE'],
      ...change,
    });
    return [response.status, (response.body as { access_token: string }).access_token];
  }
  const mint = async (token: string) =>
    post(
      `${playground.upstreamUrl}/auth/token`,
      { hirerId: BANKSIA, scope: 'query:organizations', userId: '42' },
      bearer(token),
    );

  test('each has credentials of its own, and no other partner’s secret', async () => {
    expect(zenith.client.clientId).toBe('zenith');
    expect((await issue(first))[0]).toBe(200);
    expect((await issue(zenith))[0]).toBe(200);
    expect((await issue(zenith, { client_secret: first.client.clientSecret }))[0]).toBe(401);
  });

  test('a relationship that ends for one remains for the other, browser tokens included', async () => {
    const [[, a], [, b]] = [await issue(first), await issue(zenith)];
    const browser = ((await mint(b)).body as { access_token: string }).access_token;
    const environment = { PLAYGROUND_URL: playground.upstreamUrl };
    const pairs = ['type=HirerRelationshipChanged', `hirerId=${BANKSIA}`, 'relationships=[]'];
    await runControl('events', ['--partner=zenith', ...pairs], environment);
    expect([(await mint(a)).status, (await mint(b)).status]).toEqual([200, 403]);
    expect(errorsOf(await ask(playground, NAME, { id: BANKSIA }, a))).toEqual([]);
    for (const token of [b, browser]) {
      expect(errorsOf(await ask(playground, NAME, { id: BANKSIA }, token))).toEqual([
        ['FORBIDDEN', 'hiringOrganization'],
      ]);
    }
    await expect(runControl('events', ['--partner=nobody', ...pairs], environment)).rejects.toThrow(
      /no such partner/,
    );
  });

  test('events and subscriptions of one are not those of the other', async () => {
    const [[, a], [, b]] = [await issue(first), await issue(zenith)];
    const { id } = zenith.events.emit('PositionProfilePosted');
    const query = 'query($id: String!) { event(id: $id) { id { value } } }';
    expect((await ask(playground, query, { id }, b)).data).toEqual({ event: { id: { value: id } } });
    expect((await ask(playground, query, { id }, a)).data).toEqual({ event: null });
    playground.subscribe({ url: 'https://receiver.example/', eventTypeCodes: ['PositionProfilePosted'] });
    expect([first.webhooks.subscriptions.size, zenith.webhooks.subscriptions.size]).toEqual([1, 0]);
  });

  test('two partners cannot have the same client id', async () => {
    await expect(startPlayground({ port: 0, partners: ['a', 'a'] })).rejects.toThrow(/client id/);
  });
});
