import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail } from '../../audit/audit-trail.js';
import { Database } from '../../storage/database.js';
import { OneTimeValues } from '../../storage/one-time-values.js';
import { LOG, type Log } from '../../telemetry/log.js';
import { BrowserTokens } from '../../token/browser-tokens.js';
import { RequestLimit } from '../../token/rate-limits.js';

const CHANNEL = 'erased-users';

/**
 * What is held of users besides their memberships: browser tokens, counts of limits, links that work once, and the
 * pseudonym in audit records, written or not. Erased on every replica, by a notice; each erases what it holds itself,
 * so that nothing that one was about to write outlasts the erasure of another. A replica that misses the notice cannot
 * learn of it later, since no list of the erased is kept: docs/data-protection.md says to erase once more.
 */
@Injectable()
export class UserTraces {
  private readonly replica = randomUUID();

  constructor(
    private readonly database: Database,
    private readonly trail: AuditTrail,
    @Inject(BrowserTokens) private readonly tokens: Pick<BrowserTokens, 'dropUsers'>,
    private readonly requests: RequestLimit,
    private readonly values: OneTimeValues,
    @Inject(LOG) log: Log,
  ) {
    const onNotice = (message: string): void => {
      const [sender, ...userIds] = message.split(' ');
      if (sender === this.replica) return; // done already
      this.eraseHere(userIds).catch((error: unknown) =>
        log.error({ err: error }, 'an erased user cannot be erased from this replica'),
      );
    };
    database.subscribe(CHANNEL, onNotice, () => undefined);
  }

  /**
   * Erases the traces of these pseudonyms. Done here and announced to all replicas when the promise resolves.
   * @returns how many audit records were unlinked here
   */
  async erase(userIds: readonly string[]): Promise<number> {
    const unlinked = await this.eraseHere(userIds);
    await this.database.publish(CHANNEL, [this.replica, ...userIds].join(' '));
    return unlinked;
  }

  private async eraseHere(userIds: readonly string[]): Promise<number> {
    await this.tokens.dropUsers(userIds);
    for (const userId of userIds) {
      await this.requests.forget(userId);
      await this.values.dropOf(userId);
    }
    return this.trail.unlink(userIds);
  }
}
