import { setTimeout as delay } from 'node:timers/promises';
import { anEvent } from '../../webhooks/send-webhook.js';
import { sendEvent, type Actor, type DrillContext } from './context.js';
import { now } from './memberships.js';
import { ROLES, type Hirer, type User } from './world.js';
import type { SeededRandom } from '../../../playground/src/data/random.js';

/** How long the database may take over what a replica that was killed had asked of it. */
const UNANSWERED_MS = 5_000;

/** Grants a membership, gives it another role, or revokes it, by the ops route of any replica. */
export async function changeMembership(context: DrillContext, actor: Actor): Promise<void> {
  const { user, hirer, random } = actor;
  const isMember = context.memberships.latest(user, hirer) !== undefined;
  const roles = isMember && random.chance(0.35) ? undefined : drawRoles(actor);
  await setMembership(context, actor, roles);
}

/** @param roles undefined revokes */
export async function setMembership(
  { memberships, ledger, caller, stack, recent }: DrillContext,
  { user, hirer, random, step }: Actor,
  roles: readonly string[] | undefined,
): Promise<void> {
  const key = `${user.subject} ${hirer.hirerId}`;
  if (recent.changing.has(key)) return;
  recent.changing.add(key);
  recent.add(user, hirer);
  const { opsUrl } = await stack.pick(random);
  const acknowledge = memberships.change(user, hirer, roles);
  const url = `${opsUrl}/memberships/${user.subject}/${encodeURIComponent(hirer.hirerId)}`;
  const sent = { method: roles ? 'PUT' : 'DELETE', body: roles && JSON.stringify({ roles }) } as const;
  const reply = await caller.send(url, sent).catch(() => undefined);
  if (reply && reply.status < 300) acknowledge();
  const what = roles ? `granted ${roles.join(' ')}` : 'revoked';
  ledger.note(user, hirer, `step ${step} membership ${what}: ${reply?.status ?? 'no answer'}`);
  if (!reply) await delay(UNANSWERED_MS);
  recent.changing.delete(key);
}

/** One role, or two. */
export function drawRoles({ random }: Pick<Actor, 'random'>): readonly string[] {
  const first = random.chance(0.6) ? 'recruiter' : random.pick(ROLES);
  const second = random.pick(ROLES);
  return random.chance(0.7) || first === second ? [first] : [first, second];
}

/** A new secret for end-user tokens, or for seals; the one before stays good until the next. */
export async function rotateSecret({ stack }: DrillContext, { random }: Actor): Promise<void> {
  const secret = random.pick([stack.endUserSecret, stack.sealingKey]);
  await secret.rotate(() => stack.reload());
}

/** The upstream accepts its partner tokens no more, or the browser tokens of a hirer. */
export async function revokeTokens({ upstream }: DrillContext, { random, hirer }: Actor): Promise<void> {
  if (random.chance(0.5)) upstream.tokens.revokePartner();
  else upstream.tokens.revokeBrowser(hirer.hirerId);
}

/** The relationship of a hirer changes: its browser tokens are void, and a webhook says so. */
export async function changeRelationship(context: DrillContext, { hirer, random }: Actor): Promise<void> {
  const changedAt = now();
  context.upstream.tokens.revokeBrowser(hirer.hirerId);
  const event = anEvent({ type: 'HirerRelationshipChanged', hirerId: hirer.hirerId });
  const isHeard = (await sendEvent(context, random, event)) === 204;
  if (isHeard) context.relationships.set(hirer.hirerId, { changedAt, heardAt: now() });
}

/** A replica is killed, or stopped as for a release, and started again. */
export async function restartReplica({ stack }: DrillContext, { random }: Actor): Promise<void> {
  await stack.restart(random, random.pick(['SIGKILL', 'SIGKILL', 'SIGTERM'] as const));
}

const PAIRS_MAX = 30;

/** The memberships that were changed last, where mistakes show first, and those that are being changed. */
export class RecentChanges {
  /** Changes of one membership come one after the other. */
  readonly changing = new Set<string>();
  private readonly pairs: { readonly user: User; readonly hirer: Hirer }[] = [];

  add(user: User, hirer: Hirer): void {
    this.pairs.push({ user, hirer });
    if (this.pairs.length > PAIRS_MAX) this.pairs.shift();
  }

  pick(random: SeededRandom): { readonly user: User; readonly hirer: Hirer } | undefined {
    return this.pairs.length === 0 ? undefined : random.pick(this.pairs);
  }
}
