import type { SeededRandom } from '../../../playground/src/data/random.js';
import type { Report } from './call-judge.js';
import type { DrillClient, DrillRequest, Reply } from './client.js';
import type { DrillSink } from './event-operations.js';
import { type EndUserTokens, ANY_TOKEN } from './token-operations.js';
import type { Ledger, Operation } from './ledger.js';
import type { LinkPool } from './attachment-operations.js';
import type { Memberships, Span, Verdict } from './memberships.js';
import type { DrillStack } from './stack.js';
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
  readonly client: DrillClient;
  readonly endUsers: EndUserTokens;
  readonly links: LinkPool;
  readonly recent: RecentChanges;
  readonly report: Report;
  /** True if the service may answer 429. */
  readonly limited: boolean;
  /** When the relationship of a hirer changed, and when the service had acknowledged the webhook that says so. */
  readonly relationships: Map<string, { readonly changedAt: number; readonly heardAt: number }>;
  /** How often each kind of operation came out how. */
  readonly outcomes: Map<string, number>;
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
  { client, ledger, stack, endUsers }: DrillContext,
  operation: Omit<Operation, 'span'>,
  { user, random }: Actor,
  request: Omit<DrillRequest, 'origin'>,
): Promise<{ reply: Reply | undefined; span: Span; accepted: Verdict }> {
  const { publicUrl: origin } = await stack.pick(random);
  const token = endUsers.of(user, random);
  const begun = ledger.begin(operation);
  const reply = await client.send({
    ...request,
    origin,
    headers: { ...request.headers, authorization: `Bearer ${token.token}` },
  });
  const span = ledger.end(begun, reply && `${reply.status} ${reply.text.slice(0, 100)}`);
  return { reply, span, accepted: token.accepted(span) };
}

/** Judges an outcome by what the model says of it, and counts it. */
export function settle(
  { report, outcomes }: DrillContext,
  { user, hirer, step }: Actor,
  kind: string,
  outcome: Outcome,
  verdict: Verdict,
): void {
  count(outcomes, `${kind} ${outcome}`);
  if (outcome === 'served' && verdict === 'never') {
    report(`step ${step}: ${kind} was served, and at no moment should have been`, user, hirer);
  }
  if (outcome === 'refused' && verdict === 'always') {
    report(`step ${step}: ${kind} was refused, and at every moment should have been served`, user, hirer);
  }
}

/** Counts one more. */
export function count(outcomes: Map<string, number>, name: string): void {
  outcomes.set(name, (outcomes.get(name) ?? 0) + 1);
}

/** The outcome that an HTTP status stands for; a fault of the service's own is a violation. */
export function outcomeOf(
  { limited, report }: DrillContext,
  reply: Reply | undefined,
  actor: Actor,
): Outcome {
  if (reply === undefined) return 'failed';
  const { status } = reply;
  if (status === 200) return 'served';
  const mayFail = status === 502 || status === 503 || status === 504 || (status === 429 && limited);
  if (mayFail) return 'failed';
  if (status < 500 && status !== 429) return 'refused';
  report(`step ${actor.step}: answered ${status}: ${reply.text}`, actor.user, actor.hirer);
  return 'failed';
}

/** Searches an answer for what its reader must not see: markers of others, and tokens. */
export function searchAnswer(
  { world, report }: DrillContext,
  text: string,
  { user, hirer, step }: Actor,
): void {
  const foreign = world.findForeign(text, user, hirer);
  if (foreign !== undefined) report(`step ${step}: the answer holds ${foreign}: ${text}`, user, hirer);
  if (ANY_TOKEN.test(text)) report(`step ${step}: the answer holds a token: ${text}`, user, hirer);
}
