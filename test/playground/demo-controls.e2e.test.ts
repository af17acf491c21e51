import supertest from 'supertest';
import { loadConfig } from '../../src/config/load-config.js';
import { startService, type Service } from '../../src/service.js';
import { openLog } from '../../src/telemetry/log.js';
import { demoPageRoutes } from '../../playground/src/demo-page/demo-page-routes.js';
import { startPlayground, type Playground } from '../../playground/src/playground.js';
import { serviceEnvironment } from '../support/start-stack.js';

describe('what the demo page may do to the playground', () => {
  let playground: Playground;
  let service: Service;
  beforeAll(async () => {
    playground = await startPlayground({ port: 0 });
    service = await startService(
      loadConfig(serviceEnvironment(playground)),
      openLog({ LOG_LEVEL: 'fatal' }),
      demoPageRoutes(playground, () => service.opsUrl),
    );
  });
  afterAll(async () => {
    await service.close();
    await playground.close();
  });

  const hirerId = (): string => playground.demo.hirers[0]!.hirerId;
  const post = (path: string, body: unknown) =>
    supertest(service.publicUrl)
      .post(`/demo/${path}`)
      .send(body as object);

  test.each([
    ['happenings', () => ({ type: 'HirerRelationshipChanged', hirerId: hirerId() })],
    ['happenings', () => ({ type: 'CandidateApplicationCreated', hirerId: 'another' })],
    ['happenings', () => []],
    ['happenings/again', () => ({ eventId: 'unknown' })],
    ['faults', () => ({ name: 'toString' })],
  ])('%s refuses what the page does not offer', async (path, body) => {
    const eventsBefore = playground.world.events.since(0).length;
    expect((await post(path, body())).status).toBe(400);
    expect(playground.world.events.since(0)).toHaveLength(eventsBefore);
    expect(playground.faults.list()).toEqual([]);
  });

  test('takes only a media type that a page of another origin cannot send without permission', async () => {
    const request = supertest(service.publicUrl).post('/demo/faults').set('Content-Type', 'text/plain');
    expect((await request.send('{"name":"rate-limit"}')).status).toBe(415);
    expect((await supertest(service.publicUrl).post('/demo/faults')).status).toBe(400);
    const preflight = supertest(service.publicUrl)
      .options('/demo/faults')
      .set('Origin', 'https://other.example');
    const answer = await preflight.set('Access-Control-Request-Method', 'POST');
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    expect(playground.faults.list()).toEqual([]);
  });

  test('a service finds the keys of the identity provider by its issuer alone', async () => {
    const { issuerUrl, settings, machine } = playground;
    const { END_USER_JWKS_URL: jwks_uri, ...environment } = serviceEnvironment(playground);
    const document = await supertest(issuerUrl).get('/.well-known/openid-configuration');
    const issuer = settings['END_USER_ISSUER'];
    expect(document.body).toMatchObject({ issuer, jwks_uri, token_endpoint: machine.tokenUrl });
    const own = await startService(loadConfig(environment), openLog({ LOG_LEVEL: 'fatal' }));
    const hirers = supertest(own.publicUrl)
      .get('/hirers')
      .auth(await playground.signIn('amelia'), { type: 'bearer' });
    expect((await hirers).status).toBe(200);
    await own.close();
  });

  test('the sink refuses a delivery without a valid signature, and keeps that it came', async () => {
    const sink = playground.sinkSettings['EVENT_SINK_URL']!;
    const headers = { 'webhook-id': 'e1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,AAAA' };
    const answer = await supertest(sink).post('').set(headers).send({ type: 'Any', data: {} });
    expect(answer.status).toBe(401);
    expect(playground.eventSink.list('e1')).toEqual([expect.objectContaining({ verified: false })]);
    expect((await supertest(sink).post('').send({})).status).toBe(400);
  });
});
