import { Injectable } from '@nestjs/common';
import { BffError } from '../errors/bff-error.js';
import { MembershipGate } from '../hirer-access/membership-gate.js';
import type { RequestContext } from '../http/request-context.js';
import type { Operation } from './operation.js';

@Injectable()
export class MembershipRecheck {
  constructor(private readonly gate: MembershipGate) {}

  /**
   * What stands against each operation by the membership as it is now, once the request has waited; nothing where all
   * are still the member's, and for work without a caller.
   * @throws BffError `hirer_forbidden` for one who is no member any more
   */
  async refusals(
    operations: readonly Operation[],
    context: RequestContext,
  ): Promise<readonly (BffError | undefined)[]> {
    const { user, member } = context;
    if (!user || !member || !context.hasWaited) return [];
    const now = await this.gate.enter(user, member.hirerId, context);
    if (now.roles === member.roles && now.scopes === member.scopes) return []; // it is the one in memory
    const isNarrowed = !member.scopes.every((scope) => now.scopes.includes(scope));
    return operations.map(({ guarded, registered, token }) => {
      const narrowed = isNarrowed && token === 'browser' ? new BffError('scope_forbidden') : undefined;
      return (guarded ?? registered)?.refusalFor(now) ?? narrowed;
    });
  }
}
