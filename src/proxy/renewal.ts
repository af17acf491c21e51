import { BffError } from '../errors/bff-error.js';
import type { RequestContext } from '../upstream/request-context.js';
import type { Credential } from './credential.js';
import { TokenRefused, readErrors, type Outcome, type ReadError } from './graphql-result.js';
import { isObject } from './operation-request.js';
import type { Task } from './task.js';

const UNAUTHENTICATED = 'UNAUTHENTICATED';

/** Sends tasks with a token; an outcome for each. */
export type SendTasks = (tasks: readonly Task[], token: string | undefined) => Promise<Outcome[]>;

/**
 * Sends the tasks, and those that failed because of the token once more with a fresh one (interface 5.5, 5.8). The
 * token seen is dropped only if it is still the current one, and all who wait share one new one.
 * @throws BffError when there is no token to begin with
 */
export async function sendRenewed(
  tasks: readonly Task[],
  credential: Credential,
  context: RequestContext,
  send: SendTasks,
  onRenewal: (items: number) => void,
): Promise<Outcome[]> {
  const token = await credential.get(context);
  const outcomes = await send(tasks, token);
  if (token === undefined) return outcomes;
  const failed = tasks.flatMap((task, index) => (mayRenew(task, outcomes[index]!) ? [index] : []));
  if (failed.length === 0) return outcomes;
  await credential.drop(token);
  onRenewal(failed.length);
  const again = await sendAgain(
    failed.map((index) => tasks[index]!),
    credential,
    context,
    send,
  );
  failed.forEach((index, place) => (outcomes[index] = again[place]!));
  return outcomes;
}

async function sendAgain(
  tasks: readonly Task[],
  credential: Credential,
  context: RequestContext,
  send: SendTasks,
): Promise<Outcome[]> {
  let token: string | undefined;
  try {
    token = await credential.get(context);
  } catch (fault) {
    if (fault instanceof BffError) return tasks.map(() => fault);
    throw fault;
  }
  return send(tasks, token);
}

/** A query may always be sent again; a mutation only when it is certain that nothing of it ran. */
function mayRenew(task: Task, outcome: Outcome): boolean {
  if (outcome instanceof BffError) return outcome instanceof TokenRefused && task.type === 'query';
  if (!outcome.hasErrors || !outcome.body.includes(UNAUTHENTICATED)) return false;
  const { data, errors } = readErrors(outcome.body);
  if (!errors.some(({ code }) => code === UNAUTHENTICATED)) return false;
  return task.type === 'query' || provesNothingRan(data, errors, task.rootKeys);
}

/**
 * Every error is UNAUTHENTICATED and none lies below a root field, which would mean that the field ran; and each root
 * field is accounted for, either by an error of its own or, all together, by a refusal of the whole request.
 */
function provesNothingRan(data: unknown, errors: readonly ReadError[], rootKeys: readonly string[]): boolean {
  if (!errors.every(({ code, path }) => code === UNAUTHENTICATED && (path?.length ?? 0) <= 1)) return false;
  if (isObject(data) && Object.values(data).some((value) => value !== null)) return false;
  const refused = new Set(errors.map(({ path }) => path?.[0]));
  return refused.has(undefined) ? refused.size === 1 : rootKeys.every((key) => refused.has(key));
}
