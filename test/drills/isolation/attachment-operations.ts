import { calls } from './call-judge.js';
import { act, outcomeOf, searchAnswer, settle, wrong, type Actor, type DrillContext } from './context.js';
import { all, untilSome, type Span, type Verdict } from './memberships.js';
import { LINK_LIFE_SECONDS } from './stack.js';
import { scopesOf, type DrillObject, type Hirer, type User } from './world.js';
import type { SeededRandom } from '../../../playground/src/data/random.js';

const LIFE_MS = LINK_LIFE_SECONDS * 1000;

/**
 * `GET` or `HEAD /attachments/{sealed}`: by the user the link was made for, or any machine where it was made for one, by
 * another, and altered; whether the user is still a member and the link still valid comes as it comes.
 */
export async function fetchAttachment(context: DrillContext, actor: Actor): Promise<void> {
  const { random, step } = actor;
  const link = context.links.pick(random);
  if (!link) return;
  const user = random.chance(0.75) ? link.user : actor.user;
  const isAltered = random.chance(0.03);
  const reader = { ...actor, user, hirer: link.hirer };
  const isReader = user === link.user || (user.isMachine === true && link.user.isMachine === true);
  const isOpen = isReader && !isAltered;
  const operation = {
    step,
    user,
    hirer: link.hirer,
    text: `attachment ${link.object.id}${isOpen ? '' : ', not its own'}`,
    announces: isOpen ? [calls.attachment(link.object)] : [],
  };
  const method = random.chance(0.1) ? 'HEAD' : 'GET';
  const path = isAltered ? alter(link.path, random.int(0, 20)) : link.path;
  const { reply, span, accepted } = await act(context, operation, reader, { method, path });
  const outcome = outcomeOf(context, reply, reader);
  const verdict = isOpen ? all(accepted, judgeLink(context, link, span, outcome)) : 'never';
  settle(context, reader, 'attachment', outcome, verdict);
  if (outcome !== 'served' || method === 'HEAD') return;
  searchAnswer(context, reply!.text, reader);
  if (!reply!.text.includes(link.object.marker)) {
    wrong(context, reader, `the link of ${link.object.id} gave ${reply!.text}`);
  }
}

/** A member may read the file. One without a scope may be refused too, having had no operation to get the link by. */
function judgeLink(
  { memberships, stack }: DrillContext,
  { user, hirer, made, generations: [earliest, latest] }: Link,
  span: Span,
  outcome: string,
): Verdict {
  const rolesFit = (roles: readonly string[]): boolean => outcome === 'served' || scopesOf(roles).length > 0;
  return all(
    memberships.judge(user, hirer, span, rolesFit),
    untilSome(made.start + LIFE_MS, made.end + LIFE_MS, span),
    judgeKey(stack.sealingKey.accepts(earliest, span), stack.sealingKey.accepts(latest, span)),
  );
}

/** The link was made with one of two keys, if the key was rotated at that very time. */
function judgeKey(earliest: Verdict, latest: Verdict): Verdict {
  return earliest === latest ? earliest : 'sometimes';
}

function alter(path: string, place: number): string {
  const at = path.length - 1 - place;
  const other = path[at] === 'A' ? 'B' : 'A';
  return path.slice(0, at) + other + path.slice(at + 1);
}

/** A sealed link that an answer held. */
export interface Link {
  readonly path: string;
  readonly user: User;
  readonly hirer: Hirer;
  readonly object: DrillObject;
  /** When it was made, as near as can be known. */
  readonly made: Span;
  /** Number of the sealing key before and after it was made. */
  readonly generations: readonly [earliest: number, latest: number];
}

const LINKS_MAX = 300;
const YOUNG = 20;

/** Links that were handed out lately; some are expired, some of users who are no members any more. */
export class LinkPool {
  private readonly links: Link[] = [];

  add(link: Link): void {
    this.links.push(link);
    if (this.links.length > LINKS_MAX) this.links.shift();
  }

  /** Mostly a young one; none while there are few, whose users would have more downloads at once than one may have. */
  pick(random: SeededRandom): Link | undefined {
    const { length } = this.links;
    const young = random.chance(0.7) ? length - YOUNG : 0;
    return length < YOUNG ? undefined : this.links[random.int(young, length - 1)];
  }
}
