import supertest from 'supertest';
import { loadConfig } from '../../src/config/load-config.js';
import { startService, type Service } from '../../src/service.js';
import { openLog } from '../../src/telemetry/log.js';
import { endsByItself } from '../support/machine.js';
import { demoPageRoutes } from '../support/browser.js';
import { serviceEnvironment, startSilently } from '../support/start-stack.js';
import { usePlayground } from './client.js';

describe('what the demo page may do to the playground', () => {
  const playground = usePlayground();
  let service: Service;
  beforeAll(async () => {
    service = await startService(
      loadConfig(serviceEnvironment(playground)),
      openLog({ LOG_LEVEL: 'fatal' }),
      demoPageRoutes(playground, () => service.opsUrl),
    );
    endsByItself(() => service.close());
  });

  const emit = (origin: string, type = 'application/json') =>
    supertest(playground.upstreamUrl)
      .post('/playground/events')
      .set({ Origin: origin, 'Content-Type': type })
      .send('{"type":"PositionProfilePosted"}');

  test('the page controls the playground as the command line does, by the name it is open under', async () => {
    playground.openToPagesOf(service.publicUrl);
    for (const host of ['127.0.0.1', 'localhost']) {
      const origin = service.publicUrl.replace('127.0.0.1', host);
      const ask = supertest(playground.upstreamUrl).options('/playground/events').set('Origin', origin);
      const leave = await ask.set('Access-Control-Request-Method', 'POST');
      const answer = await emit(origin);
      expect([leave.status, answer.status]).toEqual([204, 200]);
      for (const { headers } of [leave, answer]) expect(headers['access-control-allow-origin']).toBe('*');
      expect(playground.world.events.get(answer.body.eventIds[0])).toBeDefined();
    }
  });

  test('no other page does, nor the page with a body that needs no permission', async () => {
    playground.openToPagesOf(service.publicUrl);
    const before = playground.world.events.since(0).length;
    const port = new URL(service.publicUrl).port;
    for (const origin of [`http://attacker.example:${port}`, 'http://127.0.0.1:1', 'null']) {
      const preflight = supertest(playground.upstreamUrl).options('/playground/events').set('Origin', origin);
      expect((await preflight).headers['access-control-allow-origin']).toBeUndefined();
      expect((await emit(origin)).status).toBe(403);
    }
    expect((await emit(service.publicUrl, 'text/plain')).status).toBe(415);
    expect(playground.world.events.since(0)).toHaveLength(before);
  });

  test('a service finds the keys of the identity provider by its issuer alone', async () => {
    const { issuerUrl, settings, machine } = playground;
    const { END_USER_JWKS_URL: jwks_uri, ...environment } = serviceEnvironment(playground);
    const document = await supertest(issuerUrl).get('/.well-known/openid-configuration');
    const issuer = settings['END_USER_ISSUER'];
    expect(document.body).toMatchObject({ issuer, jwks_uri, token_endpoint: machine.tokenUrl });
    const own = await startSilently(environment);
    const hirers = supertest(own.publicUrl)
      .get('/hirers')
      .auth(await playground.signIn('amelia'), { type: 'bearer' });
    expect((await hirers).status).toBe(200);
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
