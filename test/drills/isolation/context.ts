import type { SeededRandom } from '../../../playground/src/data/random.js';
import type { Environment } from '../../../src/config/load-config.js';
import { signWebhook, webhookBody } from '../../webhooks/send-webhook.js';
import { Caller, type Reply, type Sent } from '../caller.js';
import { LinkPool } from './attachment-operations.js';
import { CallJudge, type Report } from './call-judge.js';
import { RecentChanges } from './changes.js';
import { DrillSink } from './event-operations.js';
import { Ledger, type Operation } from './ledger.js';
import { clock, Memberships, now, type Span, type Verdict } from './memberships.js';
import { startDrillStack, USER_ID_KEY, WEBHOOK_SECRET } from './stack.js';
import { ANY_TOKEN, EndUserTokens } from './token-operations.js';
import { DrillUpstream } from './upstream.js';
import { World, type Hirer, type User } from './world.js';

/** The operations to drill, and their number. */
export interface DrillOptions {
  readonly seed: string;
  readonly operations: number;
  readonly replicas: number;
  /** The stores: empty for the embedded ones. */
  readonly settings: Environment;
}

interface Progress {
  readonly step: number;
  /** What was wrong, with all that is needed to look into it. */
  readonly violations: string[];
}

const CONNECTIONS = 64;
const ANSWER_TIMEOUT_MS = 30_000;
const REPLICA_LAG_MS = 1_000; // how long a replica may lag behind
const VIOLATIONS_MAX = 5;

/** The context of every operation of the drill. */
export type DrillContext = Awaited<ReturnType<typeof openContext>>;

/** The world, its model, the upstream and the service. */
export async function openContext({ seed, replicas, settings }: DrillOptions, progress: Progress) {
  const world = new World(seed, USER_ID_KEY);
  const memberships = new Memberships('REDIS_URL' in settings ? REPLICA_LAG_MS : 0);
  const ledger = new Ledger();
  /** With all that is needed to look into a violation: seed, step, and the history of the user at the hirer. */
  const report: Report = (fault, user, hirer) => {
    if (progress.violations.length >= VIOLATIONS_MAX) return;
    const membership =
      user && hirer
        ? [`membership of ${user.subject} at ${hirer.hirerId}:`, ...memberships.describe(user, hirer)]
        : [];
    const history = user ? ['history:', ...ledger.history(user, hirer)] : [];
    const head = `seed ${seed}, at step ${progress.step}, ${clock(now())}: ${fault}`;
    progress.violations.push([head, ...membership, ...history].join('\n  '));
  };
  const judge = new CallJudge(world, memberships, ledger, report);
  const upstream = new DrillUpstream(seed, world, ledger, judge, report);
  const sink = new DrillSink();
  const origins = { upstream: await upstream.listen(), sink: await sink.listen() };
  const stack = await startDrillStack(origins, { replicas, settings, seed, report });
  return {
    world,
    memberships,
    ledger,
    upstream,
    /** Where the events of the drill are delivered. */
    sink,
    stack,
    caller: new Caller(ANSWER_TIMEOUT_MS, CONNECTIONS),
    endUsers: new EndUserTokens(stack.endUserSecret),
    links: new LinkPool(),
    recent: new RecentChanges(),
    report,
    /** True if the service may answer 429. */
    limited: Number(settings['RATE_LIMIT_REQUESTS_PER_MINUTE'] ?? 0) > 0,
    /** When the relationship of a hirer changed, and when the service had acknowledged the webhook that says so. */
    relationships: new Map<string, { readonly changedAt: number; readonly heardAt: number }>(),
    /** How often each kind of operation was served. */
    served: new Map<string, number>(),
  };
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
