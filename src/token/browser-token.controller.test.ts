import { BffError } from '../errors/bff-error.js';
import { RequestContext } from '../http/request-context.js';
import { Metrics } from '../telemetry/metrics.js';
import { BrowserTokenController } from './browser-token.controller.js';

test.each([
  ['the request limit', {}],
  ['the replacement of a refused token', { 'x-refused-token': 'token' }],
])('a member who is removed while %s is waited for gets no token from memory', async (what, headers) => {
  let isMember = true;
  const late = Promise.withResolvers<void>();
  const gate = {
    enter: () => {
      if (isMember) return { roles: ['member'], scopes: ['query:x'] };
      throw new BffError('hirer_forbidden');
    },
  };
  const limit = { admit: () => (what === 'the request limit' ? late.promise : undefined) };
  const tokens = {
    replace: () => late.promise,
    get: () => ({ accessToken: 'token', expiresAt: Date.now() + 60_000, tokenHash: '', source: 'cache' }),
  };
  const host = { httpAdapter: { publicListener: { onEnd: () => undefined } } };
  const controller = new BrowserTokenController(
    gate as never,
    limit as never,
    tokens as never,
    host as never,
    new Metrics(),
  );
  const context = Object.assign(RequestContext.background(), { user: { userId: 'ada' } });
  const body = Buffer.from(JSON.stringify({ hirerId: 'scheme:organization:part:id', scope: 'query:x' }));
  const answer = controller.issue({ body, context, headers } as never);
  isMember = false;
  late.resolve();
  await expect(answer).rejects.toMatchObject({ code: 'hirer_forbidden' });
});
