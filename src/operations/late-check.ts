import { Injectable } from '@nestjs/common';
import { BffError } from '../errors/bff-error.js';
import { HirerGate, type HirerEntry } from '../hirer-access/hirer-gate.js';
import type { Member } from '../http/end-user.js';
import type { RequestContext } from '../http/request-context.js';
import type { Operation } from './operation.js';

/** Judges the member of a request once more, since a membership may have ended during a wait. */
@Injectable()
export class LateCheck {
  constructor(private readonly gate: HirerGate) {}

  /**
   * Refuses the operations once the request has waited and one of them is not the member's any more; synchronously when
   * the membership is in memory. Work without a caller has nobody to judge.
   * @throws BffError `hirer_forbidden` for one who is no member any more, `scope_forbidden`
   */
  confirm(operations: readonly Operation[], context: RequestContext): void | Promise<void> {
    const { user, member } = context;
    if (!user || !member || !context.hasWaited) return undefined;
    const entered = this.gate.enter(user, member.hirerId, context);
    return entered instanceof Promise
      ? entered.then((entry) => judge(operations, member, entry))
      : judge(operations, member, entered);
  }
}

function judge(operations: readonly Operation[], { roles, scopes }: Member, now: HirerEntry): void {
  if (now.roles === roles && now.scopes === scopes) return; // it is the one in memory
  const isNarrowed = !scopes.every((scope) => now.scopes.includes(scope));
  for (const { guarded, registered, token } of operations) {
    const refusal = (guarded ?? registered)?.refusalFor(now);
    if (refusal) throw refusal;
    if (isNarrowed && token === 'browser') throw new BffError('scope_forbidden');
  }
}
