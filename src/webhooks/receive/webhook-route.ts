import type { RouteOptions } from 'fastify';
import { sendProblem } from '../../http/problem.filter.js';
import { toBffError } from '../../errors/to-bff-error.js';
import { UnverifiedBodies } from './unverified-bodies.js';
import type { WebhookReceiver } from './webhook-receiver.js';

/** `POST /webhooks`, registered on the listener itself like every hot route (ADR 0004). */
export function webhookRoute(receiver: WebhookReceiver, bodies = new UnverifiedBodies()): RouteOptions {
  return {
    method: 'POST',
    url: '/webhooks',
    config: { access: 'open', bodyBudget: bodies }, // whoever knows a webhook secret, and nobody else
    handler: async (request, reply) => {
      await receiver.receive(request);
      return reply.code(204).send();
    },
    errorHandler: (thrown, request, reply) => {
      const error = toBffError(thrown);
      receiver.refuse(error);
      sendProblem(error, request, reply);
    },
  };
}
