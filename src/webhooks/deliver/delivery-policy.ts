import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/load-config.js';
import type { InsertPolicy } from '../store/insert/insert-policy.js';
import type { WebhookEvent } from '../store/webhook-event.js';
import { DELIVERY_ROUTES, type DeliveryRoute } from './delivery-route.js';

/** Queues events that a target of the default sink's queue wants (the others are fed, `SinkFeed`), and late repeats of them where `EVENT_REPEATS` says so. */
@Injectable()
export class DeliveryPolicy implements InsertPolicy {
  readonly redeliverAfterMs: number | undefined;

  constructor(
    @Inject(CONFIG)
    {
      EVENT_REPEATS,
      EVENT_REPEAT_WINDOW_SECONDS,
    }: Pick<Config, 'EVENT_REPEATS' | 'EVENT_REPEAT_WINDOW_SECONDS'>,
    @Inject(DELIVERY_ROUTES) private readonly routes: readonly DeliveryRoute[],
  ) {
    this.redeliverAfterMs = EVENT_REPEATS === 'deliver' ? EVENT_REPEAT_WINDOW_SECONDS * 1000 : undefined;
  }

  isWanted(event: WebhookEvent): boolean {
    return this.routes[0]!.targets.some((target) => target.wants(event));
  }
}
