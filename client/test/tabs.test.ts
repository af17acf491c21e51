import { until } from '../../test/support/until.js';
import { shareTokens } from '../src/tabs.js';

const URL = 'https://bff.partner.example';
const TOKEN = { value: 'token', expiresAt: 1, renewAt: 1 };

test('a new tab waits on when tokens of another hirer, or no message of ours, come first', async () => {
  const others = new BroadcastChannel(`partner-bff ${JSON.stringify([URL, 'amelia'])}`);
  const heard: string[] = [];
  const place = shareTokens('amelia', 30_000).join(URL, {
    entries: () => [],
    onToken: (key) => heard.push(key) > 0 && key === 'own',
    onSignedOut: () => undefined,
  });
  let isReady = false;
  void place.ready.then(() => (isReady = true));
  try {
    others.postMessage(null);
    others.postMessage({ kind: 'tokens', tokens: [['another', TOKEN]] });
    await until(() => heard.length === 1);
    expect(isReady).toBe(false);
    others.postMessage({ kind: 'tokens', tokens: [['own', TOKEN]] });
    await place.ready;
    expect(heard).toEqual(['another', 'own']);
  } finally {
    place.leave(false);
    others.close();
  }
});
