import 'reflect-metadata';
import { Controller, Get, Patch, type Type } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import supertest from 'supertest';
import { AppModule } from '../../src/app.module.js';
import { loadConfig, type Environment } from '../../src/config/load-config.js';
import { MembershipCache } from '../../src/hirer-access/membership-cache.js';
import { ClaimMemberships } from '../../src/hirer-access/sources/claim-memberships.js';
import { HirerAccess } from '../../src/hirer-access/hirer-access.port.js';
import { createListener } from '../../src/http/incoming/listener.js';
import { ListenersAdapter, OpsController } from '../../src/http/incoming/listeners-adapter.js';
import { observeRequests } from '../../src/http/request-end.js';
import { ProblemFilter } from '../../src/http/incoming/problem.filter.js';
import { Conditions } from '../../src/telemetry/conditions/conditions.js';
import { Health } from '../../src/telemetry/health.js';
import { openLog } from '../../src/telemetry/log.js';
import { Metrics } from '../../src/telemetry/metrics.js';
import { anAuthenticator, REAL, staticKeys } from '../support/parts.js';
import { serviceEnvironment } from '../support/start-stack.js';
import { usePlayground } from '../playground/client.js';

const playground = usePlayground();
let app: NestFastifyApplication | undefined;
afterEach(async () => {
  await app?.close();
  app = undefined;
});

interface Build {
  readonly settings?: Environment;
  /** Controllers of the application that hosts the modules. */
  readonly controllers?: Type[];
  readonly override?: (testing: TestingModuleBuilder) => TestingModuleBuilder;
}

/** Builds the modules on listeners of the service. */
async function build({ settings, controllers = [], override = (testing) => testing }: Build) {
  const config = loadConfig(serviceEnvironment(playground, settings));
  const log = openLog({ LOG_LEVEL: 'silent' });
  const metrics = new Metrics();
  const observe = observeRequests(log, metrics, new Conditions());
  const adapter = new ListenersAdapter(createListener(config, observe), createListener(config, observe));
  const telemetry = { log, metrics, health: new Health(), conditions: new Conditions() };
  const testing = Test.createTestingModule({ imports: [AppModule.with(config, telemetry)], controllers });
  // Providers add hooks to the listener in their constructors, which @nestjs/testing calls before it has an adapter.
  testing.overrideProvider(HttpAdapterHost).useValue({ httpAdapter: adapter });
  const compiled = await override(testing).compile();
  app = compiled.createNestApplication<NestFastifyApplication>(adapter, { logger: false, bodyParser: false });
  return app.useGlobalFilters(new ProblemFilter());
}

test.each([
  ['database', MembershipCache],
  ['http', MembershipCache],
  ['claim', ClaimMemberships],
])('every provider resolves from settings alone, with HIRER_ACCESS=%s', async (kind, type) => {
  const settings = { HIRER_ACCESS: kind, HIRER_ACCESS_URL: 'http://127.0.0.1:9/' };
  const built = await build({ settings });
  await built.init();
  expect(built.get(HirerAccess, { strict: false })).toBeInstanceOf(type);
});

test('a HirerAccess of the host application alone decides who gets a token', async () => {
  const [own, foreign] = playground.demo.hirers.map(({ hirerId }) => hirerId);
  const membership = { hirerId: own!, roles: ['member'], scopes: ['query:organizations'] };
  const access: HirerAccess = {
    list: () => new Map([[own!, membership]]),
  };
  const built = await build({
    override: (testing) => testing.overrideProvider(HirerAccess).useValue(access),
  });
  await built.init();
  await built.getHttpAdapter().getInstance().ready();
  const token = await playground.signIn('zoe'); // is a member nowhere, as far as the database knows
  const ask = async (hirerId: string | undefined) =>
    supertest(built.getHttpServer())
      .post('/auth/token')
      .set({ authorization: `Bearer ${token}` })
      .send({ hirerId, scope: 'query:organizations' });
  expect(await ask(own)).toMatchObject({ status: 200, body: { token_type: 'Bearer' } });
  expect(await ask(foreign)).toMatchObject({ status: 403, body: { code: 'hirer_forbidden' } });
});

@Controller()
class Undeclared {
  @Get('/undeclared')
  read(): string {
    return 'for everyone';
  }
}

test('an application with a route that does not declare its access refuses to start', async () => {
  const built = await build({ controllers: [Undeclared] });
  await expect(built.init()).rejects.toThrow('/undeclared declares no access');
});

test.each([{ access: 'end-user' } as const, {}])(
  'a route with the configuration %j that is there before the guard is behind it, too',
  async (routeConfig) => {
    const config = loadConfig(REAL);
    const listener = createListener(config, () => undefined);
    listener.get('/early', { config: routeConfig }, () => 'for members');
    anAuthenticator(staticKeys({}), Date.now).guard(listener);
    expect(await listener.inject('/early')).toMatchObject({ statusCode: 401 });
  },
);

@OpsController()
class OtherVerb {
  @Patch('/other-verb')
  change(): string {
    return 'for operators';
  }
}

test('an ops route of a verb that is not bound to the ops listener is not bound to the public one instead', async () => {
  const built = await build({ controllers: [OtherVerb] });
  await expect(built.init()).rejects.toThrow('/other-verb declares no access');
});
