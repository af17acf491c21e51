import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Routes } from '../../http/routes.js';
import { WebhookMetrics } from '../webhook-metrics.js';
import { WebhookReceiver } from './webhook-receiver.js';

const URL = '/webhooks';
/** The upstream sends it again; until then the store has time to recover. */
const STORE_RETRY_SECONDS = 5;

/** `POST /webhooks`, where `WEBHOOK_SECRETS` is set. */
@Injectable()
export class WebhookRoutes implements OnModuleInit {
  constructor(
    private readonly routes: Routes,
    private readonly receiver: WebhookReceiver,
    metrics: WebhookMetrics,
  ) {
    if (!receiver.isOpen) return;
    routes.listener.onEnd(({ context }) => metrics.request(context.outcomes[0]!), URL);
  }

  onModuleInit(): void {
    if (!this.receiver.isOpen) return;
    /** Receives events. It answers once they are durable. Without `WEBHOOK_SECRETS`, there is no such route. */
    this.routes.add({
      method: 'POST',
      url: URL,
      config: {
        access: 'open', // the receiver verifies the signature
        bodyBudget: this.receiver.unverified,
        storeRetrySeconds: STORE_RETRY_SECONDS,
      },
      handler: async (request, reply) => {
        await this.receiver.receive(request);
        request.context.notes.outcomes = ['accepted'];
        return reply.code(204).send();
      },
    });
  }
}
