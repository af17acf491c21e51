import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { UserBudget } from '../concurrency/user-budget.js';
import { CONFIG, type Config } from '../config/load-config.js';
import { BffError } from '../errors/bff-error.js';
import { StoreError } from '../errors/store-error.js';
import { toBffError } from '../errors/to-bff-error.js';
import type { Member } from '../http/end-user.js';
import { ExchangeFault } from '../http/outgoing/exchange.js';
import type { RequestContext } from '../http/request-context.js';
import { RequestLimit } from '../token/rate-limits.js';
import { AttachmentLinks } from './attachment-links.js';
import { EventOwners } from './answers/ownership.js';
import { Interventions } from './interventions.js';
import { callOf, type Item, type Operation } from './operation.js';
import type { Guard, RegisteredOperation } from './registered-operation.js';
import type { GraphqlResult, Outcome } from './transport/graphql-result.js';
import { OperationRunner } from './transport/operation-runner.js';
import { ResponseCache } from './transport/response-cache.js';

/** After so many milliseconds of one request's answers, others have a turn of the event loop. */
const TURN_MS = 5;
/** Answers of full size that one user may have under way, and how many such users there may be. */
const ANSWERS_PER_USER = 16;
const USERS = 8;
/** Smaller answers are not counted: they cost less than a request does. */
const SMALL_BYTES = 16_384;
const RETRY_AFTER_SECONDS = 1;

/** Settings that {@link Operations} reads. */
type OperationsSettings = Pick<Config, 'UPSTREAM_TIMEOUT_MS' | 'REGISTERED_ANSWER_LIMIT_BYTES'>;

/**
 * Carries out operations for a member, in this order: registered ones are bound to the hirer, ownership is proven, they
 * are sent unless the response cache has their answers, and answers to registered ones are confined to what the member may
 * see. The failure of one operation leaves the others alone.
 */
@Injectable()
export class Operations {
  /** Answers to registered operations that are in memory. */
  private readonly underWay: UserBudget;

  constructor(
    private readonly runner: OperationRunner,
    private readonly cache: ResponseCache,
    private readonly requestLimit: RequestLimit,
    private readonly eventOwners: EventOwners,
    private readonly links: AttachmentLinks,
    private readonly interventions: Interventions,
    @Inject(CONFIG) private readonly config: OperationsSettings,
  ) {
    const perUserMax = ANSWERS_PER_USER * config.REGISTERED_ANSWER_LIMIT_BYTES;
    this.underWay = new UserBudget({
      perUserMax,
      totalMax: USERS * perUserMax,
      what: 'bytes of answers under way',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }

  /**
   * An outcome for each item, in order, for the member of the context; without one, no operation carries a token.
   * @throws BffError when there is no token for any of them
   * @throws ExchangeFault of kind `aborted` when the caller has disconnected
   */
  async run(items: readonly Item[], context: RequestContext): Promise<Outcome[]> {
    context.deadline = performance.now() + this.config.UPSTREAM_TIMEOUT_MS;
    const { member } = context;
    const outcomes = new Array<Outcome>(items.length);
    let ready: Operation[] = [];
    for (let index = 0; index < items.length; index += 1) {
      const item = member ? prepare(items[index]!, member) : items[index]!;
      if (item instanceof BffError) outcomes[index] = item;
      else ready.push(item);
    }
    const isGuarded = ready.some(({ guards }) => guards.length > 0);
    if (isGuarded) ready = await this.prove(ready, context, outcomes);
    await (ready.every(({ token }) => token === ready[0]!.token)
      ? this.send(ready, context, outcomes)
      : this.sendApart(ready, context, outcomes));
    if (member && ready.some(({ registered }) => registered)) {
      await this.confineAll(ready, member, context, outcomes);
    }
    return outcomes;
  }

  /** The operations whose guards prove ownership; the refusal of another stands in its place of `outcomes`. */
  private async prove(
    operations: readonly Operation[],
    context: RequestContext,
    outcomes: Outcome[],
  ): Promise<Operation[]> {
    const proving = operations.map(async ({ index, guards }) => {
      const refusal = await refusalOf(this.passGuards(guards, context));
      if (refusal) outcomes[index] = refusal;
    });
    await Promise.all(proving);
    return operations.filter(({ index }) => outcomes[index] === undefined);
  }

  /**
   * Takes a point of the request limit for each object that a guard proves beyond its first, so that a list of objects
   * costs its caller what asking for them one by one does.
   * @throws BffError unless each guard proves ownership
   */
  private async passGuards(guards: readonly Guard[], context: RequestContext): Promise<void> {
    const repeats = guards.length - new Set(guards.map(({ operation }) => operation)).size;
    const limit = repeats > 0 ? await this.requestLimit.takeUpTo(context.member!, repeats) : undefined;
    if (limit?.refusal) throw limit.refusal;
    const passing = guards.map((guard) => refusalOf(this.passGuard(guard, context)));
    for (const refusal of await Promise.all(passing)) if (refusal) throw refusal;
  }

  /** Runs a query that must prove ownership. @throws BffError `hirer_forbidden` when it does not */
  private async passGuard({ operation: registered, bytes }: Guard, context: RequestContext): Promise<void> {
    const member = context.member!;
    const { userId, hirerId } = member;
    const query = callOf(registered, { bytes, token: tokenOf(registered, member) });
    const [answer] = await this.runner.run([query], context);
    if (answer instanceof BffError) throw answer;
    const heldBytes = bytesOf(answer!);
    this.underWay.take(userId, heldBytes);
    try {
      if (await registered.answers.proves(answer!, hirerId)) return;
    } finally {
      this.underWay.release(userId, heldBytes);
    }
    this.interventions.count('owner_refused');
    throw new BffError('hirer_forbidden', {
      message: `${registered.compiled.name} does not prove ownership`,
    });
  }

  /** Operations with the same token go together; the tokens fail apart. */
  private async sendApart(
    operations: readonly Operation[],
    context: RequestContext,
    outcomes: Outcome[],
  ): Promise<void> {
    const groups = [...Map.groupBy(operations, ({ token }) => token).values()];
    const sending = groups.map(async (group) => {
      const refusal = await refusalOf(this.send(group, context, outcomes));
      if (refusal) for (const { index } of group) outcomes[index] ??= refusal;
    });
    await Promise.all(sending);
  }

  private async send(
    group: readonly Operation[],
    context: RequestContext,
    outcomes: Outcome[],
  ): Promise<void> {
    const asked: Operation[] = [];
    for (const operation of group) {
      const kept = isKept(operation) ? this.cache.get(operation, context) : undefined;
      if (kept) {
        this.interventions.count('cached');
        outcomes[operation.index] = kept;
      } else {
        asked.push(operation);
      }
    }
    if (asked.length === 0) return;
    const results = await this.runner.run(asked, context);
    for (const [place, operation] of asked.entries()) {
      outcomes[operation.index] = results[place]!;
      if (isKept(operation)) this.cache.put(operation, context, results[place]!);
    }
  }

  /**
   * Makes of the answers to registered operations what the member may see. All of them are counted until the last one is
   * confined, since they are in memory until then; one that is too much is dropped, and its refusal stands in its place.
   * An answer that cannot be shown is not kept for the next caller.
   */
  private async confineAll(
    operations: readonly Operation[],
    member: Member,
    context: RequestContext,
    outcomes: Outcome[],
  ): Promise<void> {
    const { userId } = member;
    let heldBytes = 0;
    try {
      for (const { index, registered } of operations) {
        const answer = outcomes[index]!;
        if (!registered || answer instanceof BffError) continue;
        const bytes = bytesOf(answer);
        const refusal = this.underWay.refusalOf(userId, bytes);
        if (refusal) outcomes[index] = refusal;
        else this.underWay.add(userId, bytes);
        if (!refusal) heldBytes += bytes;
      }
      let turnAt = performance.now();
      for (const operation of operations) {
        const answer = outcomes[operation.index]!;
        if (!operation.registered || answer instanceof BffError) continue;
        if (performance.now() - turnAt > TURN_MS) {
          await nextTurn();
          turnAt = performance.now();
        }
        if (context.isCancelled) throw new ExchangeFault('aborted', true);
        const confined = await this.confine(operation, answer, member, context);
        outcomes[operation.index] = confined;
        const isUnusable = confined instanceof BffError && confined.code === 'upstream_error';
        if (isUnusable && isKept(operation)) this.cache.drop(operation, context);
      }
    } finally {
      this.underWay.release(userId, heldBytes);
    }
  }

  /** A store that fails to say whose an event is fails this operation alone. */
  private async confine(
    { eventId, registered }: Operation,
    answer: GraphqlResult,
    member: Member,
    { cancellation }: RequestContext,
  ): Promise<Outcome> {
    let eventHirerId: string | undefined;
    try {
      if (eventId !== undefined) eventHirerId = await this.eventOwners.hirerOf(eventId);
    } catch (error) {
      if (error instanceof StoreError) return toBffError(error);
      throw error;
    }
    let removed = 0;
    const confined = await registered!.answers.shape(answer, {
      hirerId: member.hirerId,
      eventHirerId,
      mapText: (text) => this.links.sealFor(text, member),
      onRemoved: () => (removed += 1),
      cancellation,
    });
    if (removed > 0) this.interventions.count('fields_removed', removed);
    const isRefused = confined instanceof BffError && confined.code === 'hirer_forbidden';
    if (isRefused) this.interventions.count('owner_refused');
    return confined;
  }
}

/** The operation as it is sent for a member: bound to the hirer, with the token it needs. */
function prepare(item: Item, member: Member): Item {
  if (item instanceof BffError) return item;
  const { registered, variables } = item;
  try {
    const token = tokenOf(registered, member);
    if (!registered) return { ...item, token };
    return { ...item, token, ...registered.prepare(variables, member.hirerId) };
  } catch (error) {
    if (error instanceof BffError) return error;
    throw error;
  }
}

/** @throws BffError `scope_forbidden` for a browser token without a scope, which the interface does not have (2.1) */
function tokenOf(registered: RegisteredOperation | undefined, { scopes }: Member): 'browser' | 'partner' {
  const token = registered?.compiled.token ?? 'browser';
  if (token === 'partner' || scopes.length > 0) return token;
  throw new BffError('scope_forbidden', { detail: 'No scope is open to your role at this hirer.' });
}

/** True if its answers are kept for the next caller. */
function isKept({ registered }: Operation): boolean {
  return registered?.compiled.cache !== undefined;
}

/** The bytes by which an answer counts as under way. */
function bytesOf({ body }: GraphqlResult): number {
  return body.length > SMALL_BYTES ? body.length : 0;
}

/** Why the work failed, if it is for a reason of ours. @throws anything else */
async function refusalOf(work: Promise<void>): Promise<BffError | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof BffError) return error;
    throw error;
  }
}
