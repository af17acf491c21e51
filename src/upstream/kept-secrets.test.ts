import { KeptSecrets } from './kept-secrets.js';

type Change = (values: { readonly PARTNER_CLIENT_SECRET: string }) => void;

function setUp() {
  const current = { PARTNER_CLIENT_SECRET: 'first-client-secret' };
  let change: Change = () => undefined;
  const kept = new KeptSecrets({ current, onChange: (_name, listener) => void (change = listener) });
  return { kept, change: (PARTNER_CLIENT_SECRET: string) => change({ PARTNER_CLIENT_SECRET }) };
}

test('a partner token stays secret while calls with it may be under way, however often the upstream refuses tokens', () => {
  const { kept } = setUp();
  for (let number = 1; number <= 8; number += 1) kept.keep(`partner-token-${number}`);
  expect(kept.areIn(Buffer.from('{"data":"partner-token-1"}'))).toBe(true);
});

test('a client secret stays secret once there is another, which the issuer may not have taken over', () => {
  const { kept, change } = setUp();
  change('second-client-secret');
  for (const name of ['first', 'second']) expect(kept.areIn(Buffer.from(`${name}-client-secret`))).toBe(true);
});
