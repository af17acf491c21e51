import { Injectable, type OnModuleInit } from '@nestjs/common';
import { toBffError } from '../../errors/to-bff-error.js';
import { sendProblem } from '../../http/incoming/problem.filter.js';
import { Routes } from '../../http/routes.js';
import { WebhookMetrics } from '../webhook-metrics.js';
import { WebhookReceiver } from './webhook-receiver.js';

const URL = '/webhooks';
/** The upstream sends it again; until then the store has time to recover. */
const STORE_RETRY_SECONDS = 5;

/** `POST /webhooks`, where a webhook secret or an unsigned subscription is set. */
@Injectable()
export class WebhookRoutes implements OnModuleInit {
  constructor(
    private readonly routes: Routes,
    private readonly receiver: WebhookReceiver,
    metrics: WebhookMetrics,
  ) {
    if (!receiver.isOpen) return;
    routes.listener.onEnd(({ route, isPreflight, context }) => {
      if (route === URL && !isPreflight) metrics.request(context.outcomes[0]!);
    });
  }

  onModuleInit(): void {
    if (!this.receiver.isOpen) return;
    this.routes.add({
      method: 'POST',
      url: URL,
      config: { access: 'open', bodyBudget: this.receiver.unverified }, // the receiver verifies the signature
      handler: async (request, reply) => {
        await this.receiver.receive(request);
        request.context.notes.outcomes = ['accepted'];
        return reply.code(204).send();
      },
      errorHandler: (thrown, request, reply) =>
        sendProblem(toBffError(thrown, STORE_RETRY_SECONDS), request, reply),
    });
  }
}
