import supertest from 'supertest';
import { startPlayground, type Playground } from '../../playground/src/playground.js';
import { post } from './client.js';

describe('the playground from partner token to self', () => {
  let playground: Playground;
  beforeAll(async () => {
    playground = await startPlayground({ port: 0 });
  });
  afterAll(() => playground.close());

  async function partnerToken(): Promise<string> {
    const { settings } = playground;
    const response = await post(settings['ISSUER_TOKEN_URL'] ?? '', {
      grant_type: 'client_credentials',
      client_id: settings['PARTNER_CLIENT_ID'],
      client_secret: settings['PARTNER_CLIENT_SECRET'],
      audience: settings['PARTNER_AUDIENCE'],
    });
    expect(response.status).toBe(200);
    const body = response.body as { access_token: string; expires_in: number; token_type: string };
    expect(body).toMatchObject({ expires_in: 1800, token_type: 'Bearer' });
    return body.access_token;
  }

  test('leads from client credentials to a browser token that self accepts', async () => {
    const { hirerId, name } = playground.demo.hirers[0] ?? { hirerId: '', name: '' };
    const minted = await post(
      `${playground.upstreamUrl}/auth/token`,
      { hirerId, scope: 'query:organizations query:ontologies', userId: '42' },
      { Authorization: `Bearer ${await partnerToken()}` },
    );
    expect(minted.status).toBe(200);
    const { access_token } = minted.body as { access_token: string };
    const answer = await post(
      `${playground.upstreamUrl}/graphql`,
      { query: '{ self { hirer { id { value } name } } version }' },
      { Authorization: `Bearer ${access_token}`, 'X-Session-Id': '7c5b1c1e-0d67-4a53-8f3a-0c1c7a2d9b11' },
    );
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.body).toMatchObject({
      data: { self: { hirer: { id: { value: hirerId }, name } } },
      extensions: { requestLatency: expect.any(Number) },
    });
    const log = await supertest(playground.upstreamUrl)
      .get('/playground/calls')
      .query({ sessionId: '7c5b1c1e-0d67-4a53-8f3a-0c1c7a2d9b11' });
    expect(log.body).toMatchObject({
      calls: [{ route: 'graphql', token: 'browser', status: 200, fields: ['Query.self', 'Query.version'] }],
    });
  });

  test('signs a demo user in with a token whose key is published', async () => {
    const response = await post(`${playground.issuerUrl}/demo/sign-in`, { subject: 'amelia' });
    expect(response.body).toMatchObject({ access_token: expect.any(String), expires_in: 3600 });
    expect((await supertest(playground.settings['END_USER_JWKS_URL'] ?? '').get('')).status).toBe(200);
  });
});
