import { Inject, Injectable } from '@nestjs/common';
import type { InsertPolicy } from '../store/insert/insert-policy.js';
import type { WebhookEvent } from '../store/webhook-event.js';
import { DELIVERY_ROUTES, type DeliveryRoute } from './delivery-route.js';

/** How long after its last receipt a repeat of an event is only counted. */
const REPEAT_WINDOW_MS = 300_000;

/** Queues events that a target of the default sink's queue wants (the others are fed, `SinkFeed`), and late repeats of them. */
@Injectable()
export class DeliveryPolicy implements InsertPolicy {
  readonly redeliverAfterMs = REPEAT_WINDOW_MS;

  constructor(@Inject(DELIVERY_ROUTES) private readonly routes: readonly DeliveryRoute[]) {}

  isWanted(event: WebhookEvent): boolean {
    return this.routes[0]!.targets.some((target) => target.wants(event));
  }
}
