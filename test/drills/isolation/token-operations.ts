import { calls } from './call-judge.js';
import { act, outcomeOf, settle, type Actor, type DrillContext } from './context.js';
import { all, clock, type Span } from './model.js';
import { readGrant } from './tokens.js';
import { SCOPES, scopesOf } from './world.js';

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
    method: 'POST',
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
  { report, relationships }: DrillContext,
  { user, hirer, step }: Actor,
  scopes: readonly string[],
  text: string,
  span: Span,
): void {
  const answer = JSON.parse(text) as Record<string, unknown>;
  const grant = readGrant(answer['access_token']);
  const fits =
    grant?.userId === user.userId &&
    grant.hirerId === hirer.hirerId &&
    grant.scopes.join(' ') === scopes.join(' ') &&
    Object.keys(answer).sort().join(' ') === 'access_token expires_in token_type';
  if (!grant || !fits) {
    return report(`step ${step}: asked for ${scopes.join(' ')}, got ${JSON.stringify(grant)}`, user, hirer);
  }
  const leftSeconds = (grant.expiresAt - span.start) / 1000;
  if (span.start > grant.expiresAt || Number(answer['expires_in']) > Math.max(1, leftSeconds)) {
    report(
      `step ${step}: expires_in ${String(answer['expires_in'])}, ${leftSeconds} s are left`,
      user,
      hirer,
    );
  }
  const change = relationships.get(hirer.hirerId);
  if (change && span.start > change.heardAt + NOTICE_MS && grant.mintedAt < change.changedAt) {
    const times = [grant.mintedAt, change.changedAt, change.heardAt].map(clock).join(', ');
    report(`step ${step}: the token is of before the relationship changed: ${times}`, user, hirer);
  }
}

/** `GET /hirers`. */
export async function listHirers(context: DrillContext, actor: Actor): Promise<void> {
  const { world, memberships, report } = context;
  const { user, step } = actor;
  const operation = {
    step,
    user,
    hirer: undefined,
    text: 'hirers',
    announces: user.isMachine ? [] : world.hirers.map((hirer) => calls.name(hirer)),
  };
  const { reply, span, accepted } = await act(context, operation, actor, { method: 'GET', path: '/hirers' });
  const outcome = outcomeOf(context, reply, actor);
  settle(context, actor, 'hirers', outcome, accepted);
  if (outcome !== 'served') return;
  const listed = JSON.parse(reply!.text) as HirerView[];
  if (user.isMachine) {
    if (listed.length > 0) report(`step ${step}: GET /hirers told a machine ${reply!.text}`, user);
    return;
  }
  for (const one of listed) {
    const hirer = world.hirer(one.hirerId)!;
    const verdict = memberships.judge(
      user,
      hirer,
      span,
      (roles) =>
        roles.join(' ') === one.roles.join(' ') && scopesOf(roles).join(' ') === one.scopes.join(' '),
    );
    if (verdict === 'never' || (one.name !== null && one.name !== hirer.name)) {
      report(`step ${step}: GET /hirers told ${JSON.stringify(one)}`, user, hirer);
    }
  }
  for (const hirer of world.hirers) {
    const isListed = listed.some(({ hirerId }) => hirerId === hirer.hirerId);
    if (!isListed && memberships.judge(user, hirer, span, () => true) === 'always') {
      report(`step ${step}: GET /hirers left ${hirer.hirerId} out`, user, hirer);
    }
  }
}

interface HirerView {
  readonly hirerId: string;
  readonly name: string | null;
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
}
