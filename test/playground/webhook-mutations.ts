import { BAD, RECEIVER, type MutationRow } from './mutation-row.js';

const SUBSCRIPTION =
  'query($id: String!) { webhookSubscription(id: $id) { url signingAlgorithmCode webhookSubscriptionReplays { edges { node { request { typeCode } } } } } }';

/** Mutations of webhook subscriptions. */
export const WEBHOOK_MUTATIONS: Record<string, MutationRow> = {
  createWebhookSubscription: {
    effect: {
      query: SUBSCRIPTION,
      id: (payload) => payload.webhookSubscription.id.value,
      now: { webhookSubscription: { url: RECEIVER } },
    },
    refused: ['webhookSubscription.secret', 'fifteen letters', BAD],
  },
  updateWebhookSubscriptionDeliveryConfiguration: {
    effect: {
      query: SUBSCRIPTION,
      id: (payload) => payload.webhookSubscription.id.value,
      now: { webhookSubscription: { url: 'https://partner.example/new' } },
    },
    refused: ['webhookSubscription.maxEventsPerAttempt', 11, BAD],
  },
  updateWebhookSubscriptionSigningConfiguration: {
    effect: {
      query: SUBSCRIPTION,
      id: (payload) => payload.webhookSubscription.id.value,
      now: { webhookSubscription: { signingAlgorithmCode: 'SeekHmacSha512' } },
    },
    refused: ['webhookSubscription.signingAlgorithmCode', 'Md5', BAD],
  },
  replayWebhookSubscription: {
    effect: {
      query: SUBSCRIPTION,
      id: (payload) => payload.webhookSubscription.id.value,
      now: {
        webhookSubscription: {
          webhookSubscriptionReplays: { edges: [{ node: { request: { typeCode: 'IdReplayRequest' } } }] },
        },
      },
    },
    refused: ['eventIds.0', 'seekAnzPublicTest:event:events:none', BAD],
  },
  deleteWebhookSubscription: {
    effect: {
      query: SUBSCRIPTION,
      id: (payload) => payload.webhookSubscription.id.value,
      now: { webhookSubscription: null },
    },
    refused: ['webhookSubscription.id', 'seekAnzPublicTest:webhookSubscription:events:none', BAD],
  },
};
