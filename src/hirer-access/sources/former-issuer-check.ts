import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { CONFIG, ConfigError, type Config } from '../../config/load-config.js';
import { DatabaseMemberships } from './database-memberships.js';

/**
 * Refuses a start by which users would lose memberships: those stored under the present name of an issuer whose users are
 * known by its former one. They are not joined to the users of the former name, who may be other people.
 */
@Injectable()
export class FormerIssuerCheck implements OnModuleInit {
  constructor(
    private readonly memberships: DatabaseMemberships,
    @Inject(CONFIG) private readonly config: Pick<Config, 'HIRER_ACCESS'>,
  ) {}

  /** @throws ConfigError */
  async onModuleInit(): Promise<void> {
    if (this.config.HIRER_ACCESS !== 'database') return;
    const users = await this.memberships.usersUnderPresentNames();
    if (users === 0) return;
    throw new ConfigError([
      `END_USER_FORMER_ISSUER would hide the memberships of ${users} users, which are stored under the present name of their issuer: remove these first, without this setting (docs/identity-providers.md)`,
    ]);
  }
}
