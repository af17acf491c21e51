import { calls } from './call-judge.js';
import { act, outcomeOf, settle, wrong, type Actor, type DrillContext } from './context.js';
import { all, clock, type Span, now, untilSome, type Verdict } from './memberships.js';
import { SCOPES, scopesOf, ISSUER, type User } from './world.js';
import { createSecretKey } from 'node:crypto';
import type { SeededRandom } from '../../../playground/src/data/random.js';
import { SETTINGS } from '../../../src/config/settings.js';
import { signToken } from '../../support/sign-token.js';
import type { RotatingSecret } from './stack.js';

const FOREIGN_SCOPE = 'query:other';
const NOTICE_MS = 1_000;

/** `POST /auth/token` with any scopes. */
export async function askToken(context: DrillContext, actor: Actor): Promise<void> {
  const { user, hirer, random, step } = actor;
  const scopes = SCOPES.filter(() => random.chance(0.5));
  if (scopes.length === 0) scopes.push(random.pick(SCOPES));
  if (random.chance(0.02)) scopes.push(FOREIGN_SCOPE);
  scopes.sort();
  const written = random.chance(0.3) ? [...scopes, scopes[0]!].reverse() : scopes;
  const operation = {
    step,
    user,
    hirer,
    text: `token ${scopes.join(' ')}`,
    announces: user.isMachine ? [] : [calls.mint(user, hirer)],
  };
  const { reply, span, accepted } = await act(context, operation, actor, {
    path: '/auth/token',
    body: JSON.stringify({ hirerId: hirer.hirerId, scope: written.join(' ') }),
  });
  const outcome = outcomeOf(context, reply, actor);
  const entitled = context.memberships.judge(
    user,
    hirer,
    span,
    (roles) => !user.isMachine && scopes.every((scope) => scopesOf(roles).includes(scope)),
  );
  settle(context, actor, 'token', outcome, all(accepted, entitled));
  if (outcome === 'served') judgeToken(context, actor, scopes, reply!.text, span);
}

/** The token must be of this user, hirer and scopes, live as long as it says, and be no older than the relationship. */
function judgeToken(
  context: DrillContext,
  actor: Actor,
  scopes: readonly string[],
  text: string,
  span: Span,
): void {
  const { user, hirer } = actor;
  const answer = JSON.parse(text) as Record<string, unknown>;
  const grant = readGrant(answer['access_token']);
  const fits =
    grant?.userId === user.userId &&
    grant.hirerId === hirer.hirerId &&
    grant.scopes.join(' ') === scopes.join(' ') &&
    Object.keys(answer).sort().join(' ') === 'access_token expires_in token_type';
  if (!grant || !fits) {
    return wrong(context, actor, `asked for ${scopes.join(' ')}, got ${JSON.stringify(grant)}`);
  }
  const leftSeconds = (grant.expiresAt - span.start) / 1000;
  if (span.start > grant.expiresAt || Number(answer['expires_in']) > Math.max(1, leftSeconds)) {
    wrong(context, actor, `expires_in ${String(answer['expires_in'])}, ${leftSeconds} s are left`);
  }
  const change = context.relationships.get(hirer.hirerId);
  if (change && span.start > change.heardAt + NOTICE_MS && grant.mintedAt < change.changedAt) {
    const times = [grant.mintedAt, change.changedAt, change.heardAt].map(clock).join(', ');
    wrong(context, actor, `the token is of before the relationship changed: ${times}`);
  }
}

/** `GET /hirers`. */
export async function listHirers(context: DrillContext, actor: Actor): Promise<void> {
  const { world, memberships } = context;
  const { user, step } = actor;
  const operation = {
    step,
    user,
    hirer: undefined,
    text: 'hirers',
    announces: user.isMachine ? [] : world.hirers.map((hirer) => calls.name(hirer)),
  };
  const { reply, span, accepted } = await act(context, operation, actor, { path: '/hirers' });
  const outcome = outcomeOf(context, reply, actor);
  settle(context, actor, 'hirers', outcome, accepted);
  if (outcome !== 'served') return;
  const listed = JSON.parse(reply!.text) as HirerView[];
  if (user.isMachine && listed.length > 0) wrong(context, actor, `GET /hirers told a machine ${reply!.text}`);
  if (user.isMachine) return;
  for (const one of listed) {
    const hirer = world.hirer(one.hirerId)!;
    const fits = (roles: readonly string[]): boolean =>
      roles.join(' ') === one.roles.join(' ') && scopesOf(roles).join(' ') === one.scopes.join(' ');
    const isOther = one.name !== null && one.name !== hirer.name;
    if (isOther || memberships.judge(user, hirer, span, fits) === 'never') {
      wrong(context, { ...actor, hirer }, `GET /hirers told ${JSON.stringify(one)}`);
    }
  }
  for (const hirer of world.hirers) {
    const isListed = listed.some(({ hirerId }) => hirerId === hirer.hirerId);
    if (!isListed && memberships.judge(user, hirer, span, () => true) === 'always') {
      wrong(context, { ...actor, hirer }, `GET /hirers left ${hirer.hirerId} out`);
    }
  }
}

interface HirerView {
  readonly hirerId: string;
  readonly name: string | null;
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
}

/**
 * The user and hirer that a browser token was minted for. The token says so itself, so that it can be judged wherever
 * it turns up.
 */
export interface Grant {
  readonly userId: string;
  readonly hirerId: string;
  readonly scopes: readonly string[];
  /** Epoch milliseconds. */
  readonly mintedAt: number;
  readonly expiresAt: number;
  readonly serial: number;
}

const BROWSER = 'browser.';
const PARTNER = 'partner.';
/** Either kind of token, wherever it stands in a text. */
export const ANY_TOKEN = /\b(?:browser|partner)\.[\w-]+/;

/** Issuer and token endpoint of the drill's upstream: tokens, and which are still good. */
export class DrillTokens {
  private serial = 0;
  private partnerSerialMin = 0;
  private readonly hirerSince = new Map<string, number>();

  issuePartner(lifeSeconds: number): string {
    this.serial += 1;
    return `${PARTNER}${encode({ serial: this.serial, expiresAt: now() + lifeSeconds * 1000 })}`;
  }

  /** No partner token issued so far is accepted any more. */
  revokePartner(): void {
    this.partnerSerialMin = this.serial + 1;
  }

  mint(grant: Pick<Grant, 'userId' | 'hirerId' | 'scopes'>, lifeSeconds: number): string {
    this.serial += 1;
    const mintedAt = now();
    const { serial } = this;
    return `${BROWSER}${encode({ ...grant, serial, mintedAt, expiresAt: mintedAt + lifeSeconds * 1000 })}`;
  }

  /** No browser token of the hirer minted so far is accepted any more. */
  revokeBrowser(hirerId: string): void {
    this.hirerSince.set(hirerId, now());
  }

  isPartner(token: string): boolean {
    if (!token.startsWith(PARTNER)) return false;
    const { serial, expiresAt } = decode(token) as { serial: number; expiresAt: number };
    return serial >= this.partnerSerialMin && now() < expiresAt;
  }

  /** True if it is a partner token, accepted or not. */
  claimsPartner(token: string): boolean {
    return token.startsWith(PARTNER);
  }

  isGood({ hirerId, mintedAt, expiresAt }: Grant): boolean {
    return now() < expiresAt && mintedAt >= (this.hirerSince.get(hirerId) ?? 0);
  }
}

/** The contents of a browser token; undefined for any other text. */
export function readGrant(token: unknown): Grant | undefined {
  return typeof token === 'string' && token.startsWith(BROWSER) ? (decode(token) as Grant) : undefined;
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decode(token: string): unknown {
  return JSON.parse(Buffer.from(token.slice(token.indexOf('.') + 1), 'base64url').toString('utf8'));
}

/** `END_USER_AUDIENCE` of the drill. */
export const AUDIENCE = 'partner-bff';

const CLOCK_SKEW_SECONDS = SETTINGS.END_USER_CLOCK_SKEW_SECONDS.fallback;
const LIFE_SECONDS = 7_200;
const SECOND_MS = 1_000;

/** End-user tokens: good ones, and some of retired keys, soon or long expired, or of another key. */
export class EndUserTokens {
  private readonly made = new Map<string, ReturnType<EndUserTokens['make']>>();

  constructor(private readonly secret: RotatingSecret) {}

  /** A token, and when it is accepted. */
  of(user: User, random: SeededRandom) {
    const { generation } = this.secret;
    const dice = random.next();
    if (dice < 0.9) return this.long(user, generation);
    if (dice < 0.95) return this.long(user, Math.max(0, generation - random.int(1, 3)));
    if (dice < 0.98) return this.make(user, generation, expiryIn(random.int(-2, 3) - CLOCK_SKEW_SECONDS));
    if (dice < 0.99) return this.make(user, generation, expiryIn(-LIFE_SECONDS));
    const { token } = this.make(user, generation, expiryIn(LIFE_SECONDS), 'another key of thirty-two bytes');
    return { token, accepted: (): Verdict => 'never' };
  }

  /** One for each user and key, as a signed-in user sends it again and again. */
  private long(user: User, generation: number) {
    const key = `${user.subject} ${generation}`;
    const known = this.made.get(key) ?? this.make(user, generation, expiryIn(LIFE_SECONDS));
    this.made.set(key, known);
    return known;
  }

  private make(user: User, generation: number, exp: number, key?: string) {
    const claims = { iss: ISSUER, aud: AUDIENCE, sub: user.subject, iat: exp - LIFE_SECONDS, exp };
    const secret = createSecretKey(Buffer.from(key ?? this.secret.value(generation)));
    const token = signToken({ alg: 'HS256', typ: 'JWT' }, claims, secret);
    const endsAt = (exp + CLOCK_SKEW_SECONDS) * SECOND_MS;
    return {
      token,
      accepted: (span: Span): Verdict =>
        all(this.secret.accepts(generation, span), untilSome(endsAt - SECOND_MS, endsAt + SECOND_MS, span)),
    };
  }
}

function expiryIn(seconds: number): number {
  return Math.floor(now() / SECOND_MS) + seconds;
}
