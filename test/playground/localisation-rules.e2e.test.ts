import supertest from 'supertest';
import { bearer, MELBOURNE, partnerToken, post, type GraphqlAnswer, usePlayground } from './client.js';

const QUERY =
  'query($id: String!, $s: String!) { location(id: $id) { name } payTypes(schemeId: $s) { label } }';

/** interface.md, Content localisation; interface.md, Tracing requests; interface.md 6 and 9. */
describe('the rules of localisation and tracing', () => {
  const playground = usePlayground();

  const send = async (headers: Record<string, string>) =>
    post(
      `${playground.upstreamUrl}/graphql`,
      { query: QUERY, variables: { id: MELBOURNE, s: 'seekAnzPublicTest' } },
      { ...bearer(partnerToken(playground)), ...headers },
    );

  test.each([
    ['1', 'th-TH', 'th-TH', 'ค่าจ้างรายชั่วโมง'],
    ['2', 'id', 'id-ID', 'Upah per jam'],
    ['4', 'fr, de;q=0.5', 'en-AU', 'Hourly rate'],
    ['5', 'fr-FR, th-XX;q=0.9, en;q=0.8', 'th-TH', 'ค่าจ้างรายชั่วโมง'],
  ])('L.%s answers Accept-Language "%s" with content in %s', async (_rule, accept, locale, label) => {
    const response = await send({ 'Accept-Language': accept });
    const answer = response.body as GraphqlAnswer;
    expect(answer.data).toMatchObject({ payTypes: expect.arrayContaining([{ label }]) });
    expect(response.headers['content-language']).toBe(locale);
  });

  test('T.1 logs User-Agent, X-Request-Id and X-Session-Id of every call, and no token', async () => {
    const requestId = '11111111-2222-4333-8444-555555555555';
    const headers = {
      'User-Agent': 'PartnerService/1.2.3',
      'X-Request-Id': requestId,
      'X-Session-Id': 'session',
    };
    const token = partnerToken(playground);
    await send({ ...headers, ...bearer(token) });
    expect(playground.calls.list({ requestId })).toMatchObject([
      {
        route: 'graphql',
        userAgent: 'PartnerService/1.2.3',
        sessionId: 'session',
        token: 'partner',
        status: 200,
      },
    ]);
    expect(JSON.stringify(playground.calls.list())).not.toContain(token);
  });

  test('6.1 supports no subscriptions', async () => {
    const response = await post(`${playground.upstreamUrl}/graphql`, { query: 'subscription { version }' });
    expect(response.body).toHaveProperty('errors');
    expect((response.body as GraphqlAnswer).data).toBeUndefined();
  });

  test('5.3 answers browsers of any origin, and says which headers they may use', async () => {
    const preflight = await supertest(playground.upstreamUrl)
      .options('/graphql')
      .set({ Origin: 'https://partner.example', 'Access-Control-Request-Method': 'POST' });
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([204, '*']);
    expect(preflight.headers['access-control-allow-headers']).toBe(
      'Authorization, Accept-Language, Content-Type, X-Request-Id, X-Session-Id',
    );
  });
});
