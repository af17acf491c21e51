import { Inject, Injectable } from '@nestjs/common';
import { Default } from '../config/default.js';
import { toBffError } from '../errors/to-bff-error.js';
import type { Operator } from '../http/operator.js';
import type { AuditRecord } from './audit-record.js';
import { AuditTrail } from './audit-trail.js';

/** An action and its subject, as the audit record names them. */
export type OpsAction = Pick<AuditRecord, 'action' | 'user' | 'hirerId' | 'roles' | 'subject'>;

/** The audit of what operators do, and of what the process does in their place. */
@Injectable()
export class OpsAudit {
  constructor(
    @Inject(AuditTrail) private readonly trail: Pick<AuditTrail, 'record'>,
    @Default() private readonly now: () => number = Date.now,
  ) {}

  /**
   * Does the work of an action, which leaves one record: `ok`, or the code of the error that it failed with. A store
   * that is down loses none: records wait in memory.
   * @param done what to record once it is done, where only the result tells; the action by default
   */
  async perform<T>(
    action: OpsAction,
    by: Operator,
    work: () => T | Promise<T>,
    done: (result: T) => readonly OpsAction[] = () => [action],
  ): Promise<T> {
    try {
      const result = await work();
      for (const one of done(result)) this.record(one, by);
      return result;
    } catch (error) {
      this.record(action, by, toBffError(error).code);
      throw error;
    }
  }

  /** Records what was found to be done or refused, where nobody waited for it. */
  record(action: OpsAction, by: Operator, outcome = 'ok'): void {
    this.trail.record({ ...action, ...by, time: this.now(), outcome });
  }
}
