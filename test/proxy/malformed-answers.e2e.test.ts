import { startProxyStack, type ProxyStack } from './proxy-stack.js';
import { startScriptedUpstream, type ScriptedUpstream } from './scripted-upstream.js';

let stack: ProxyStack;
let upstream: ScriptedUpstream;
beforeAll(async () => {
  upstream = await startScriptedUpstream();
  stack = await startProxyStack({ UPSTREAM_URL: upstream.url });
});
afterAll(async () => {
  await stack.close();
  await upstream.server.close();
});

test('an answer that cannot be shown is not kept in the place of the next one', async () => {
  const call = { documentId: 'Currencies', variables: { usageTypeCode: 'Remuneration' } };
  upstream.script = () => '{"data":{"currencies":["broken"]}}';
  expect((await stack.ask(call)).text).toContain('UPSTREAM_ERROR');
  upstream.script = () => '{"data":{"currencies":[{"code":"AUD"}]}}';
  const mended = (await stack.ask(call)).text;
  upstream.script = () => '{"data":{"currencies":[{"code":"NZD"}]}}';
  expect([mended, (await stack.ask(call)).text]).toEqual(Array(2).fill(expect.stringContaining('AUD')));
});
