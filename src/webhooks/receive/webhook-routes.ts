import { Injectable, type OnModuleInit } from '@nestjs/common';
import { toBffError } from '../../errors/to-bff-error.js';
import { sendProblem } from '../../http/incoming/problem.filter.js';
import { Routes } from '../../http/routes.js';
import { WebhookReceiver } from './webhook-receiver.js';

/** `POST /webhooks`, where a webhook secret or an unsigned subscription is set. */
@Injectable()
export class WebhookRoutes implements OnModuleInit {
  constructor(
    private readonly routes: Routes,
    private readonly receiver: WebhookReceiver,
  ) {}

  onModuleInit(): void {
    if (!this.receiver.isOpen) return;
    this.routes.add({
      method: 'POST',
      url: '/webhooks',
      config: { access: 'open', bodyBudget: this.receiver.unverified }, // the receiver verifies the signature
      handler: async (request, reply) => {
        await this.receiver.receive(request);
        return reply.code(204).send();
      },
      errorHandler: (thrown, request, reply) => {
        const error = toBffError(thrown);
        this.receiver.refuse(error);
        sendProblem(error, request, reply);
      },
    });
  }
}
