import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/load-config.js';
import { BffError } from '../errors/bff-error.js';
import type { Member } from '../http/end-user.js';
import type { RequestContext } from '../http/request-context.js';
import { RequestLimit } from '../token/rate-limits.js';
import { AnswerConfinement } from './answers/answer-confinement.js';
import { Interventions } from './interventions.js';
import { LateCheck } from './late-check.js';
import { callOf, type Item, type Operation } from './operation.js';
import type { Guard, RegisteredOperation } from './registered-operation.js';
import type { Outcome } from './transport/graphql-result.js';
import { OperationRunner } from './transport/operation-runner.js';
import { ResponseCache } from './transport/response-cache.js';

/** Settings that {@link Operations} reads. */
type OperationsSettings = Pick<Config, 'UPSTREAM_TIMEOUT_MS'>;

/**
 * Carries out operations for a member, in this order: registered ones are bound to the hirer, ownership is proven, they
 * are sent unless the response cache has their answers, and answers to registered ones are confined to what the member may
 * see. The failure of one operation leaves the others alone.
 */
@Injectable()
export class Operations {
  constructor(
    private readonly runner: OperationRunner,
    private readonly cache: ResponseCache,
    private readonly requestLimit: RequestLimit,
    private readonly confinement: AnswerConfinement,
    private readonly interventions: Interventions,
    private readonly lateCheck: LateCheck,
    @Inject(CONFIG) private readonly config: OperationsSettings,
  ) {}

  /**
   * An outcome for each item, in order, for the member of the context; without one, no operation carries a token. What is
   * not the member's any more, after the wait for the upstream, is refused.
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
    if (ready.some(({ registered }) => registered)) await this.confine(ready, context, outcomes);
    const judged = this.lateCheck.refusals(ready, context);
    const refusals = judged instanceof Promise ? await judged : judged;
    refusals.forEach((refusal, place) => {
      if (refusal) outcomes[ready[place]!.index] = refusal;
    });
    return outcomes;
  }

  /** The operations whose guards prove ownership; the refusal of another stands in its place of `outcomes`. */
  private async prove(
    operations: readonly Operation[],
    context: RequestContext,
    outcomes: Outcome[],
  ): Promise<Operation[]> {
    const proving = operations.map(async (operation) => {
      const refusal = await refusalOf(this.passGuards(operation, context));
      if (refusal) outcomes[operation.index] = refusal;
    });
    await Promise.all(proving);
    return operations.filter(({ index }) => outcomes[index] === undefined);
  }

  /**
   * Takes a point of the request limit for each object that a guard proves beyond its first, so that a list of objects
   * costs its caller what asking for them one by one does.
   * @throws BffError unless each guard proves ownership
   */
  private async passGuards({ guards, registered }: Operation, context: RequestContext): Promise<void> {
    const repeats = guards.length - new Set(guards.map(({ operation }) => operation)).size;
    const limit = repeats > 0 ? await this.requestLimit.takeUpTo(context.member!, repeats) : undefined;
    if (limit?.refusal) throw limit.refusal;
    const passing = guards.map((guard) => refusalOf(this.passGuard(guard, registered!, context)));
    for (const refusal of await Promise.all(passing)) if (refusal) throw refusal;
  }

  /** Runs a query that must prove ownership. @throws BffError `hirer_forbidden` when it does not */
  private async passGuard(
    { operation: registered, bytes }: Guard,
    guarded: RegisteredOperation,
    context: RequestContext,
  ): Promise<void> {
    const member = context.member!;
    const query = callOf(registered, { bytes, guarded, token: tokenOf(registered, member) });
    const [answer] = await this.runner.run([query], context);
    if (answer instanceof BffError) throw answer;
    if (await this.confinement.proves(registered, answer!, member)) return;
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
    const asked = group.filter((operation) => {
      const kept = this.cache.get(operation, context);
      if (!kept) return true;
      this.interventions.count('cached');
      outcomes[operation.index] = kept;
      return false;
    });
    if (asked.length === 0) return;
    const results = await this.runner.run(asked, context);
    for (const [place, operation] of asked.entries()) {
      outcomes[operation.index] = results[place]!;
      this.cache.put(operation, context, results[place]!);
    }
  }

  /** An answer that cannot be shown is not kept for the next caller. */
  private async confine(
    operations: readonly Operation[],
    context: RequestContext,
    outcomes: Outcome[],
  ): Promise<void> {
    await this.confinement.confineAll(operations, context, outcomes);
    for (const operation of operations) {
      const outcome = outcomes[operation.index];
      const isUnusable = outcome instanceof BffError && outcome.code === 'upstream_error';
      if (isUnusable) this.cache.drop(operation, context);
    }
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
  throw new BffError('scope_forbidden', { detail: 'Your role at this hirer has no scopes.' });
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
