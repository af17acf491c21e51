import { Injectable } from '@nestjs/common';
import { BffError } from '../errors/bff-error.js';
import { HirerGate, type HirerEntry } from '../hirer-access/hirer-gate.js';
import type { Member } from '../http/end-user.js';
import type { RequestContext } from '../http/request-context.js';
import type { Operation } from './operation.js';

/** Why an operation is refused now, by its place; nothing where all are still the member's. */
type Refusals = readonly (BffError | undefined)[];

/** Judges the member of a request once more, since a membership may have ended during a wait. */
@Injectable()
export class LateCheck {
  constructor(private readonly gate: HirerGate) {}

  /**
   * What stands against each operation by the membership as it is now, once the request has waited; synchronously when it
   * is in memory. Work without a caller has nobody to judge.
   * @throws BffError `hirer_forbidden` for one who is no member any more
   */
  refusals(operations: readonly Operation[], context: RequestContext): Refusals | Promise<Refusals> {
    const { user, member } = context;
    if (!user || !member || !context.hasWaited) return [];
    const entered = this.gate.enter(user, member.hirerId, context);
    return entered instanceof Promise
      ? entered.then((entry) => judge(operations, member, entry))
      : judge(operations, member, entered);
  }
}

function judge(operations: readonly Operation[], { roles, scopes }: Member, now: HirerEntry): Refusals {
  if (now.roles === roles && now.scopes === scopes) return []; // it is the one in memory
  const isNarrowed = !scopes.every((scope) => now.scopes.includes(scope));
  return operations.map(({ guarded, registered, token }) => {
    const narrowed = isNarrowed && token === 'browser' ? new BffError('scope_forbidden') : undefined;
    return (guarded ?? registered)?.refusalFor(now) ?? narrowed;
  });
}
