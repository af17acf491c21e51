import { SeededRandom } from '../../../playground/src/data/random.js';
import { calls } from './call-judge.js';
import {
  act,
  outcomeOf,
  searchAnswer,
  settle,
  wrong,
  type Actor,
  type DrillContext,
  type Outcome,
} from './context.js';
import { makeItem, makeSharedItem, type Item } from './items.js';
import { all, type Span, type Verdict } from './memberships.js';
import type { Reply } from '../caller.js';
import { scopesOf, type DrillObject } from './world.js';

const ITEMS_MAX = 6;
const TOGETHER_MAX = 4;
const LEAVING_SHARE = 0.02;
const LANGUAGES = ['', '', 'th', 'id-ID, en;q=0.5'] as const;
const REFUSALS: ReadonlySet<unknown> = new Set([
  'FORBIDDEN',
  'BAD_USER_INPUT',
  'PERSISTED_QUERY_NOT_FOUND',
  'NOT_FOUND',
]);

type Json = any;

/** `POST /graphql` with one request. */
export function askOne(context: DrillContext, actor: Actor): Promise<void> {
  const language = actor.random.pick(LANGUAGES);
  return ask(context, actor, false, [makeItem(context, actor, 0, language)], language);
}

/** `POST /graphql` with an array of requests that have nothing to do with each other. */
export function askArray(context: DrillContext, actor: Actor): Promise<void> {
  const { random } = actor;
  const language = random.pick(LANGUAGES);
  const items = Array.from({ length: random.int(1, ITEMS_MAX) }, (_, place) =>
    makeItem(context, actor, place, language),
  );
  return ask(context, actor, true, items, language);
}

/** The same query of several users of a hirer at the same time, and of one user in several languages. */
export async function askTogether(context: DrillContext, actor: Actor): Promise<void> {
  const { world, memberships } = context;
  const { hirer, random, step } = actor;
  const members = world.users.filter((user) => memberships.latest(user, hirer) !== undefined);
  const asking = Array.from({ length: random.int(2, TOGETHER_MAX) }, () => ({
    user: members.length > 0 && random.chance(0.5) ? random.pick(members) : actor.user,
    language: random.pick(LANGUAGES),
  }));
  await Promise.all(
    asking.map(({ user, language }) => {
      const alike = { user, hirer, step, random: new SeededRandom(`${step} together`) };
      return ask(context, alike, false, [makeSharedItem(context, alike, language)], language);
    }),
  );
}

async function ask(
  context: DrillContext,
  actor: Actor,
  isArray: boolean,
  items: readonly Item[],
  language: string,
): Promise<void> {
  const { user, hirer, random, step } = actor;
  const bodies = items.map(({ body }) => body);
  const operation = {
    step,
    user,
    hirer,
    text: `graphql ${JSON.stringify(items.map(({ name, body }) => [name, body['variables']]))}`,
    announces: [...new Set(items.flatMap(({ announces }) => announces))],
  };
  const { reply, span, accepted } = await act(context, operation, actor, {
    path: '/graphql',
    hirer: hirer.hirerId,
    headers: { ...(language !== '' && { 'accept-language': language }) },
    body: JSON.stringify(isArray ? bodies : bodies[0]),
    leaveAfterMs: random.chance(LEAVING_SHARE) ? random.int(1, 20) : undefined,
  });
  if (reply) searchAnswer(context, reply.text, actor);
  const answers = readAnswers(context, actor, reply, items.length, isArray);
  items.forEach((item, place) =>
    judgeItem(context, actor, item, answers[place], { span, accepted, isArray }),
  );
}

/** The answer to each item; an outcome where there is one for all of them. */
function readAnswers(
  context: DrillContext,
  actor: Actor,
  reply: Reply | undefined,
  count: number,
  isArray: boolean,
): readonly (Json | Outcome)[] {
  const outcome = outcomeOf(context, reply, actor);
  if (outcome !== 'served') return new Array<Outcome>(count).fill(outcome);
  const body: Json = JSON.parse(reply!.text);
  const answers = isArray ? body : [body];
  if (Array.isArray(answers) && answers.length === count) return answers;
  wrong(context, actor, `${count} items, answered ${reply!.text}`);
  return new Array<Outcome>(count).fill('failed');
}

function judgeItem(
  context: DrillContext,
  actor: Actor,
  item: Item,
  answer: Json | Outcome,
  { span, accepted, isArray }: { span: Span; accepted: Verdict; isArray: boolean },
): void {
  const { memberships, upstream } = context;
  const { user, hirer, step } = actor;
  const entitled = memberships.judge(user, hirer, span, item.rolesFit);
  const settled: Verdict = isBrowserItem(item) && mayLoseScope(context, actor, span) ? 'sometimes' : 'always';
  const rightlyAnswered: Verdict = upstream.misled.has(step) ? 'sometimes' : 'always';
  const verdict = all(accepted, entitled, settled, rightlyAnswered, item.owned ? 'always' : 'never');
  const outcome =
    typeof answer === 'string' ? (answer as Outcome) : readOutcome(context, actor, item, answer);
  settle(context, actor, `${isArray ? 'item' : 'graphql'} ${item.name}`, outcome, verdict);
  if (outcome !== 'served') return;
  const value: Json = answer.data[item.root];
  for (const one of [value].flat()) inspect(context, actor, item, one, span);
  if (item.root === 'objects' && value.length !== hirer.objects.length) {
    wrong(context, actor, `${value.length} objects of the hirer`);
  }
  if (item.name === 'ObjectDetails') keepLink(context, actor, item.object!, value, span);
}

/** True if it goes upstream with a browser token. */
function isBrowserItem({ announces }: Item): boolean {
  return announces.some((call) => call.startsWith('mint '));
}

/**
 * True if a scope of an earlier moment may be gone at a later one. Only then may an answer be refused to one who was
 * entitled to ask: it was read with a token of more scopes than are left. New scopes are no reason, nor are other roles
 * of the same scopes.
 */
function mayLoseScope({ memberships }: DrillContext, { user, hirer }: Actor, span: Span): boolean {
  const possible = memberships.possible(user, hirer, span).map((roles) => scopesOf(roles ?? []));
  return possible.some((earlier, index) =>
    possible.slice(index + 1).some((later) => !earlier.every((scope) => later.includes(scope))),
  );
}

function readOutcome(context: DrillContext, actor: Actor, { root }: Item, answer: Json): Outcome {
  if (answer?.data?.[root] != null) return 'served';
  const extensions = answer?.errors?.[0]?.extensions;
  const code = extensions?.code;
  const isOurs = extensions?.requestId !== undefined;
  if (REFUSALS.has(code) || (code === 'UNAUTHENTICATED' && isOurs)) return 'refused';
  if (code === 'INTERNAL_SERVER_ERROR' || (code === 'RATE_LIMITED' && !context.limited)) {
    wrong(context, actor, `answered ${JSON.stringify(answer)}`);
  }
  return 'failed';
}

/** Each member must be as the model has it, and the scopes those of roles that the user may have had. */
function inspect(
  context: DrillContext,
  actor: Actor,
  { name, expected }: Item,
  value: Json,
  span: Span,
): void {
  const other = Object.keys(expected).find((member) => value[member] !== expected[member]);
  if (other !== undefined) wrong(context, actor, `${name} has ${other} ${JSON.stringify(value[other])}`);
  if (value.scopes === undefined) return;
  const scopes = value.scopes.join(' ');
  const fits = (roles: readonly string[]): boolean => scopesOf(roles).join(' ') === scopes;
  if (context.memberships.judge(actor.user, actor.hirer, span, fits) === 'never') {
    wrong(context, actor, `${name} was read with the scopes ${scopes}`);
  }
}

/** The field that is marked holds a sealed link; the title, which looks like one, is left as it is. */
export function keepLink(
  context: DrillContext,
  actor: Actor,
  object: DrillObject,
  { file, title }: { readonly file?: unknown; readonly title?: unknown },
  made: Span,
): void {
  const { links, stack, upstream } = context;
  const isSealed = typeof file === 'string' && file.startsWith('/attachments/');
  if (!isSealed) return wrong(context, actor, `the file is not sealed: ${String(file)}`);
  if (!String(title).startsWith(upstream.origin)) wrong(context, actor, 'the title was sealed');
  const generations = [stack.sealingKey.generationAt(made.start), stack.sealingKey.generation] as const;
  links.add({ path: file, user: actor.user, hirer: actor.hirer, object, made, generations });
}

/** One request that leaves the hirer out: right for a user of exactly one. */
export async function askWithoutHirer(context: DrillContext, actor: Actor): Promise<void> {
  const { world, memberships } = context;
  const { user, step } = actor;
  const nonce = String(step);
  const operation = {
    step,
    user,
    hirer: undefined,
    text: 'graphql without a hirer',
    announces: user.isMachine
      ? []
      : world.hirers.flatMap((hirer) => [calls.mint(user, hirer), calls.browser(user, hirer, 'Mine', nonce)]),
  };
  const { reply, span, accepted } = await act(context, operation, actor, {
    path: '/graphql',
    body: JSON.stringify({
      query: 'query Mine($nonce: String) { mine(nonce: $nonce) { hirerId marker userMarker } }',
      operationName: 'Mine',
      variables: { nonce },
    }),
  });
  const outcome = outcomeOf(context, reply, actor);
  const value: Json = outcome === 'served' ? JSON.parse(reply!.text).data?.mine : undefined;
  if (value == null) return;
  const hirer = world.hirer(value.hirerId);
  const others = world.hirers.filter(
    (one) => one !== hirer && memberships.judge(user, one, span, () => true) === 'always',
  );
  if (!hirer || others.length > 0) {
    return context.report(`step ${step}: without a hirer, served for ${value.hirerId}`, user, hirer);
  }
  const reader = { ...actor, hirer };
  const entitled = memberships.judge(user, hirer, span, (roles) => scopesOf(roles).length > 0);
  settle(context, reader, 'graphql without a hirer', 'served', all(accepted, entitled));
  searchAnswer(context, reply!.text, reader);
}
