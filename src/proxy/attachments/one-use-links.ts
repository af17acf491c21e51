import { Inject, Injectable } from '@nestjs/common';
import { Matches } from 'class-validator';
import { CONFIG, type Config } from '../../config/load-config.js';
import { Secrets } from '../../config/secrets.js';
import { BffError } from '../../errors/bff-error.js';
import { LINK_CHARACTERS_MAX } from '../../http/incoming/listener.js';
import { onlyMemberAt } from '../../json/member-at.js';
import { parseJsonObject } from '../../json/parse-json.js';
import { validate } from '../../errors/validate.js';
import type { EndUser } from '../../http/end-user.js';
import type { RequestContext } from '../../http/request-context.js';
import { OneTimeValues } from '../../storage/one-time-values.js';
import { Seal } from '../../storage/seal.js';
import { Attachments } from './attachments.js';

const LIFE_MS = 60_000;
const PATH = '/attachments/';

class LinkRequestBody {
  @Matches(new RegExp(`^/attachments/[\\w-]{1,${LINK_CHARACTERS_MAX}}$`), {
    message: 'must be the path of a sealed attachment, as a GraphQL answer gives it',
  })
  path!: string;
}

/**
 * Links that work once, within a minute, without credentials: for `<a href>` and viewers, which cannot send a token. A
 * link is a random name under authenticated encryption, so that a guess is rejected without a look-up. A request by a
 * link acts as the user who made it: sealed link, membership and request limit are checked again.
 */
@Injectable()
export class OneUseLinks {
  private readonly seal: Seal;

  constructor(
    private readonly attachments: Attachments,
    private readonly values: OneTimeValues,
    @Inject(Secrets) secrets: { readonly current: Pick<Config, 'SEALING_KEY'> },
    @Inject(CONFIG) private readonly config: Pick<Config, 'HIRER_ACCESS' | 'HIRER_ACCESS_CLAIM'>,
  ) {
    this.seal = new Seal(() => secrets.current.SEALING_KEY, 'attachment-links');
  }

  /**
   * A link to the file behind a sealed one, and the seconds until it or the sealed one no longer works.
   * @throws BffError `invalid_request`; `scope_forbidden` for a machine, since anyone may use a link; others as for the
   * file
   */
  async create(body: unknown, context: RequestContext): Promise<{ url: string; expires_in: number }> {
    const { path } = validate(LinkRequestBody, parseJsonObject(body));
    const detail = 'Machines cannot create links without credentials.';
    if (context.endUser.isMachine) throw new BffError('scope_forbidden', { detail });
    const sealed = path.slice(PATH.length);
    const { leftMs } = await this.attachments.admit(sealed, context);
    const lifeMs = Math.min(LIFE_MS, leftMs);
    const name = this.values.newKey(context.endUser.userId);
    const target = JSON.stringify({ sealed, user: this.withoutClaims(context.endUser) });
    await this.values.put(name, this.seal.seal(target, name), lifeMs);
    const link = this.seal.seal(name, 'link').toString('base64url');
    return { url: `${PATH}links/${link}`, expires_in: Math.floor(lifeMs / 1000) };
  }

  /**
   * Uses a link up, makes its user that of the request, and gives the sealed link. @throws BffError `not_found`
   */
  async use(link: string, context: RequestContext): Promise<string> {
    const name = this.seal.open(Buffer.from(link, 'base64url'), 'link');
    const value = name === undefined ? undefined : await this.values.take(name);
    const plain = value && this.seal.open(value, name!);
    if (plain === undefined) {
      throw new BffError('not_found', { message: 'the one-use link was used, altered or has expired' });
    }
    const { sealed, user } = JSON.parse(plain) as { readonly sealed: string; readonly user: EndUser };
    context.user = user;
    return sealed;
  }

  /** Claims are personal data. Only the claim with the memberships is kept. */
  private withoutClaims(user: EndUser): EndUser {
    const { HIRER_ACCESS, HIRER_ACCESS_CLAIM } = this.config;
    const claims = HIRER_ACCESS === 'claim' ? onlyMemberAt(user.claims, HIRER_ACCESS_CLAIM) : {};
    return { ...user, claims };
  }
}
