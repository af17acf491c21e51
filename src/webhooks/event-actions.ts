import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.js';
import { Default } from '../config/default.js';
import { BffError } from '../errors/bff-error.js';
import { toBffError } from '../errors/to-bff-error.js';
import type { OpsAction } from '../http/ops-action.js';
import { EventDeliverer } from './deliver/event-deliverer.js';

/** What an operator does to events, for the audit trail. */
export interface EventAction extends OpsAction {
  readonly action: string;
  readonly subject?: string;
}

/** Carries out actions of an operator; each leaves one audit record, also when it fails. */
@Injectable()
export class EventActions {
  constructor(
    private readonly deliverer: EventDeliverer,
    private readonly audit: AuditTrail,
    @Default() private readonly now: () => number = Date.now,
  ) {}

  async perform<T>(
    action: EventAction,
    work: () => Promise<{ result: T; hirerId?: string | null }>,
  ): Promise<T> {
    const record = (outcome: string, hirerId?: string): void =>
      this.audit.record({ time: this.now(), ...action, outcome, hirerId });
    try {
      const { result, hirerId } = await work();
      record('ok', hirerId ?? undefined);
      return result;
    } catch (error) {
      record(toBffError(error).code);
      throw error;
    }
  }

  /** @throws BffError `invalid_request` when events have nowhere to go */
  requireTargets(): void {
    if (this.deliverer.hasTargets) return;
    throw new BffError('invalid_request', {
      detail: 'There is nowhere to deliver to: EVENT_SINK_URL is not set.',
    });
  }

  /** Makes the deliverer look for due events now. */
  wakeDeliverer(): void {
    this.deliverer.wake();
  }
}
