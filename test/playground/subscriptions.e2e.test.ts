import { runControl } from '../../playground/src/command/command-line.js';
import { startPlayground, type Playground } from '../../playground/src/playground.js';
import { ask, errorsOf } from './client.js';

describe('webhook subscriptions over time', () => {
  let playground: Playground;
  let environment: { PLAYGROUND_URL: string };
  beforeEach(async () => {
    playground = await startPlayground({ port: 0, switches: { mutations: 'stateful' } });
    environment = { PLAYGROUND_URL: playground.upstreamUrl };
  });
  afterEach(() => playground.close());

  test('a subscription for a time shows when it ends, and ends then', async () => {
    await runControl(
      'webhooks/subscriptions',
      ['url=https://receiver.example/', 'lifetimeSeconds=3600'],
      environment,
    );
    const query = `query($s: String!) { webhookSubscriptions(schemeId: $s) { edges { node { createDateTime expireDateTime hirerId { value } } } } }`;
    const answer = await ask(playground, query, { s: 'seekAnzPublicTest' });
    const { edges } = (answer.data as any).webhookSubscriptions;
    const [{ node }] = edges;
    expect(Date.parse(node.expireDateTime) - Date.parse(node.createDateTime)).toBe(3_600_000);
    expect(node.hirerId).toBeNull(); // for every hirer
    playground.clock.advance(3_600_000);
    expect(playground.webhooks.subscriptions.size).toBe(0);
  });

  test('a mutation that changes a subscription acts after the delay', async () => {
    playground.subscribe({ url: 'https://old.example/', eventTypeCodes: ['PositionProfilePosted'] });
    const [subscription] = playground.webhooks.subscriptions.values();
    const mutation = `mutation($input: UpdateWebhookSubscriptionDeliveryConfigurationInput!) {
      updateWebhookSubscriptionDeliveryConfiguration(input: $input) { __typename } }`;
    const input = { webhookSubscription: { id: subscription?.id, url: 'https://new.example/' } };
    expect(errorsOf(await ask(playground, mutation, { input }))).toEqual([]);
    expect([subscription?.url, subscription?.acting.url]).toEqual([
      'https://new.example/',
      'https://old.example/',
    ]);
    playground.clock.advance(5_000);
    expect(subscription?.acting.url).toBe('https://new.example/');
  });
});
