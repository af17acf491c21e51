import { BffError } from '../../src/errors/bff-error.js';
import { aListener, jsonHead, openRaw, urlOf } from '../support/raw-connection.js';
import { until } from '../support/until.js';

let url: string;
let begun: number;
let ends: string[];
let ofEcho: string[];

beforeAll(async () => {
  const listener = aListener();
  listener.onEnd(({ method, route, status, config: { audit = 'none' } }) =>
    ends.push(`${method} ${route} ${status} ${audit}`),
  );
  listener.onEnd(({ method }) => ofEcho.push(method), '/echo');
  listener.addHook('onRequest', (_request, _reply, done) => {
    begun += 1;
    done();
  });
  const onRequest = (): never => {
    throw new BffError('unauthenticated');
  };
  listener.post('/echo', { config: { audit: 'token' } }, () => ({}));
  listener.get('/guarded', { onRequest, config: { audit: 'graphql' } }, () => ({}));
  listener.get('/failing', () => Promise.reject(new Error('boom')));
  listener.get('/hanging', () => new Promise(() => undefined));
  url = await urlOf(listener);
});
beforeEach(() => {
  begun = 0;
  ends = [];
  ofEcho = [];
});

test.each([
  ['answered', `${jsonHead('POST', '/echo', 2)}{}`, 'POST /echo 200 token'],
  ['refused by a hook', `${jsonHead('GET', '/guarded')}`, 'GET /guarded 401 graphql'],
  ['failed', jsonHead('GET', '/failing'), 'GET /failing 500 none'],
  ['of an unknown path', jsonHead('GET', '/nowhere'), 'GET none 404 none'],
  ['of a path that is no path', jsonHead('GET', '/%zz'), 'GET none 400 none'],
  ['of another method', jsonHead('PUT', '/echo'), 'PUT /echo 405 token'],
  ['of a method that no route has', jsonHead('PROPFIND', '/echo'), 'other none 404 none'],
])('a request that is %s ends once', async (_how, text, end) => {
  await openRaw(url, text);
  await until(() => ends.length > 0);
  expect(ends).toEqual([end]);
  expect(ofEcho).toHaveLength(end.includes(' /echo ') ? 1 : 0);
});

test.each([
  ['while its body arrives', `${jsonHead('POST', '/echo', 100)}{`, 'POST /echo 499 token'],
  ['while its handler runs', jsonHead('GET', '/hanging'), 'GET /hanging 499 none'],
])('a request whose caller leaves %s ends once', async (_when, text, end) => {
  const { socket } = await openRaw(url, text);
  await until(() => begun > 0);
  socket.destroy();
  await until(() => ends.length > 0);
  expect(ends).toEqual([end]);
});
