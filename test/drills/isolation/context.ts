import type { SeededRandom } from '../../../playground/src/data/random.js';
import type { Report } from './call-judge.js';
import type { Caller, Reply, Sent } from '../caller.js';
import { signWebhook, webhookBody } from '../../webhooks/send-webhook.js';
import type { DrillSink } from './event-operations.js';
import { type EndUserTokens, ANY_TOKEN } from './token-operations.js';
import type { Ledger, Operation } from './ledger.js';
import type { LinkPool } from './attachment-operations.js';
import type { Memberships, Span, Verdict } from './memberships.js';
import { WEBHOOK_SECRET, type DrillStack } from './stack.js';
import type { DrillUpstream } from './upstream.js';
import type { RecentChanges } from './changes.js';
import type { Hirer, User, World } from './world.js';

/** The context of every operation of the drill. */
export interface DrillContext {
  readonly world: World;
  readonly memberships: Memberships;
  readonly ledger: Ledger;
  readonly upstream: DrillUpstream;
  /** Where the events of the drill are delivered. */
  readonly sink: DrillSink;
  readonly stack: DrillStack;
  readonly caller: Caller;
  readonly endUsers: EndUserTokens;
  readonly links: LinkPool;
  readonly recent: RecentChanges;
  readonly report: Report;
  /** True if the service may answer 429. */
  readonly limited: boolean;
  /** When the relationship of a hirer changed, and when the service had acknowledged the webhook that says so. */
  readonly relationships: Map<string, { readonly changedAt: number; readonly heardAt: number }>;
  /** How often each kind of operation was served. */
  readonly served: Map<string, number>;
}

/** The outcome of a request: it was answered, refused, or failed for a reason that proves nothing. */
export type Outcome = 'served' | 'refused' | 'failed';

/** One step: who acts, and for which hirer. */
export interface Actor {
  readonly user: User;
  readonly hirer: Hirer;
  readonly random: SeededRandom;
  readonly step: number;
}

/** Sends a request as the actor to any replica, while the ledger holds the operation as under way. */
export async function act(
  { caller, ledger, stack, endUsers }: DrillContext,
  operation: Omit<Operation, 'span'>,
  { user, random }: Actor,
  { path, ...sent }: Sent & { readonly path: string },
): Promise<{ reply: Reply | undefined; span: Span; accepted: Verdict }> {
  const { url } = await stack.pick(random);
  const { token, accepted } = endUsers.of(user, random);
  const begun = ledger.begin(operation);
  const reply = await caller.send(url + path, { ...sent, token }).catch(() => undefined);
  const span = ledger.end(begun, reply && `${reply.status} ${reply.text.slice(0, 100)}`);
  return { reply, span, accepted: accepted(span) };
}

/** Sends a signed event to any replica, and gives the status that it is answered with. */
export async function sendEvent(
  { caller, stack }: DrillContext,
  random: SeededRandom,
  event: object,
  secret = WEBHOOK_SECRET,
): Promise<number | undefined> {
  const { url } = await stack.pick(random);
  const body = webhookBody([event]);
  const headers = { 'seek-signature': signWebhook(body, secret) };
  return caller.send(`${url}/webhooks`, { body, headers }).then(
    ({ status }) => status,
    () => undefined,
  );
}

/** Judges an outcome by what the model says of it, and counts it. */
export function settle(
  context: DrillContext,
  actor: Actor,
  kind: string,
  outcome: Outcome,
  verdict: Verdict,
): void {
  if (outcome === 'served') countServed(context, kind);
  if (outcome === 'served' && verdict === 'never') {
    wrong(context, actor, `${kind} was served, and at no moment should have been`);
  }
  if (outcome === 'refused' && verdict === 'always') {
    wrong(context, actor, `${kind} was refused, and at every moment should have been served`);
  }
}

export function countServed({ served }: DrillContext, kind: string): void {
  served.set(kind, (served.get(kind) ?? 0) + 1);
}

/** The outcome that an HTTP status stands for; a fault of the service's own is a violation. */
export function outcomeOf(context: DrillContext, reply: Reply | undefined, actor: Actor): Outcome {
  if (reply === undefined) return 'failed';
  const { status, text } = reply;
  if (status === 200) return 'served';
  const mayFail = status === 502 || status === 503 || status === 504 || (status === 429 && context.limited);
  if (mayFail) return 'failed';
  if (status < 500 && status !== 429) return 'refused';
  wrong(context, actor, `answered ${status}: ${text}`);
  return 'failed';
}

/** Searches an answer for what its reader must not see: markers of others, and tokens. */
export function searchAnswer(context: DrillContext, text: string, actor: Actor): void {
  const foreign = context.world.findForeign(text, actor.user, actor.hirer);
  if (foreign !== undefined) wrong(context, actor, `the answer holds ${foreign}: ${text}`);
  if (ANY_TOKEN.test(text)) wrong(context, actor, `the answer holds a token: ${text}`);
}

/** Reports what must not be. */
export function wrong(
  { report }: DrillContext,
  { user, hirer, step }: Pick<Actor, 'user' | 'hirer' | 'step'>,
  fault: string,
): void {
  report(`step ${step}: ${fault}`, user, hirer);
}
