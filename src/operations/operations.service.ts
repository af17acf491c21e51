import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/load-config.js';
import { BffError } from '../errors/bff-error.js';
import { MembershipGate } from '../hirer-access/membership-gate.js';
import type { Member } from '../http/end-user.js';
import { ExchangeFault } from '../http/outgoing/exchange.js';
import type { RequestContext } from '../http/request-context.js';
import type { Steps } from '../json/parse-json.js';
import { RequestLimit } from '../token/rate-limits.js';
import { confineInSteps, proveInSteps } from './answers/confine-answer.js';
import { AttachmentLinks } from './attachment-links.js';
import { callOf, refusalsNow, type Item, type Operation } from './operation.js';
import type { Guard, RegisteredOperation } from './registered-operation.js';
import { asOutcome, type Outcome } from './transport/graphql-result.js';
import { OperationRunner } from './transport/operation-runner.js';

/** Before each step of confining a larger answer, others have a turn of the event loop. */
const LARGE_BYTES = 65_536;

/**
 * Carries out operations for a member: bound to the hirer, ownership proven, sent, and answers confined to what the
 * member may see. The failure of one operation leaves the others alone.
 */
@Injectable()
export class Operations {
  /** The queue of large answers: in each turn of the event loop one of them is confined a step further. */
  private turns: Promise<void> = Promise.resolve();

  constructor(
    private readonly runner: OperationRunner,
    private readonly requestLimit: RequestLimit,
    private readonly links: AttachmentLinks,
    private readonly gate: MembershipGate,
    @Inject(CONFIG) private readonly config: Pick<Config, 'UPSTREAM_TIMEOUT_MS'>,
  ) {}

  /**
   * An outcome for each item, in order, for the member of the context; without one, no operation carries a token.
   * @throws BffError when there is no token for any of them, or the caller is no member any more
   * @throws ExchangeFault of kind `aborted` when the caller has disconnected
   */
  async run(items: readonly Item[], context: RequestContext): Promise<Outcome[]> {
    context.deadline = performance.now() + this.config.UPSTREAM_TIMEOUT_MS;
    const { member } = context;
    const outcomes = new Array<Outcome>(items.length);
    let ready: Operation[] = [];
    for (const [index, one] of items.entries()) {
      const item = member ? prepare(one, member) : one;
      if (item instanceof BffError) outcomes[index] = item;
      else ready.push(item);
    }
    const guarded = ready.filter(({ guards }) => guards.length > 0);
    if (guarded.length > 0) {
      await Promise.all(guarded.map((one) => orRefuse([one], outcomes, this.passGuards(one, context))));
      ready = ready.filter(({ index }) => outcomes[index] === undefined);
    }
    const [group = [], ...others] = Map.groupBy(ready, ({ token }) => token).values();
    await (others.length === 0
      ? this.send(group, context, outcomes)
      : Promise.all(
          [group, ...others].map((one) => orRefuse(one, outcomes, this.send(one, context, outcomes))),
        ));
    const refusals = await refusalsNow(ready, context, this.gate);
    for (const [at, refusal] of refusals.entries()) {
      if (refusal) outcomes[ready[at]!.index] = refusal;
    }
    return outcomes;
  }

  /**
   * Takes a point of the request limit for each object that a guard proves beyond its first: a list of objects costs
   * what asking one by one does.
   * @throws BffError unless each guard proves ownership
   */
  private async passGuards({ guards, registered }: Operation, context: RequestContext): Promise<void> {
    const repeats = guards.length - new Set(guards.map(({ operation }) => operation)).size;
    const { refusal } = repeats > 0 ? await this.requestLimit.takeUpTo(context.member!, repeats) : {};
    if (refusal) throw refusal;
    await Promise.all(guards.map((guard) => this.passGuard(guard, registered!, context)));
  }

  private async passGuard(
    { operation: registered, bytes }: Guard,
    guarded: RegisteredOperation,
    context: RequestContext,
  ): Promise<void> {
    const member = context.member!;
    const { compiled } = registered;
    const query = callOf(registered, { bytes, guarded, token: tokenOf(registered, member) });
    const [answer] = await this.runner.run([query], context);
    if (answer instanceof BffError) throw answer;
    await this.finish(proveInSteps(compiled, answer!, member.hirerId), answer!, context);
  }

  private async send(
    group: readonly Operation[],
    context: RequestContext,
    outcomes: Outcome[],
  ): Promise<void> {
    if (group.length === 0) return;
    const answers = await this.runner.run(group, context);
    for (const [at, operation] of group.entries()) {
      const answer = answers[at]!;
      const isShown = !operation.registered || answer instanceof BffError;
      outcomes[operation.index] = isShown ? answer : await this.confine(operation, answer, context);
    }
  }

  /** The result of steps; on a large answer each has its own turn of the event loop. @throws ExchangeFault `aborted` */
  private async finish<T>(
    steps: Steps<T>,
    { body }: Exclude<Outcome, BffError>,
    context: RequestContext,
  ): Promise<T> {
    for (;;) {
      if (body.length > LARGE_BYTES) await (this.turns = this.turns.then(() => nextTurn()));
      if (context.cancellation.cancelled) throw new ExchangeFault('aborted');
      const step = steps.next();
      if (step.done) return step.value;
    }
  }

  /** What the member may see of an answer; its fault is this operation's alone. */
  private confine(
    { registered }: Operation,
    answer: Exclude<Outcome, BffError>,
    context: RequestContext,
  ): Promise<Outcome> {
    const member = context.member!;
    const steps = confineInSteps(registered!.compiled, answer, {
      hirerId: member.hirerId,
      mapText: (text) => this.links.replace(text, member),
    });
    return this.finish(steps, answer, context).catch(asOutcome);
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
    return asOutcome(error);
  }
}

/** @throws BffError `scope_forbidden` for a browser token without a scope, which the interface does not have (2.1) */
function tokenOf(registered: RegisteredOperation | undefined, { scopes }: Member): 'browser' | 'partner' {
  const token = registered?.compiled.token ?? 'browser';
  if (token === 'partner' || scopes.length > 0) return token;
  throw new BffError('scope_forbidden', { detail: 'Your role at this hirer has no scopes.' });
}

/** Waits for work on operations; where it fails for a reason of ours, those without an outcome are refused for it. */
async function orRefuse(
  operations: readonly Operation[],
  outcomes: Outcome[],
  work: Promise<void>,
): Promise<void> {
  try {
    await work;
  } catch (error) {
    const refusal = asOutcome(error);
    for (const { index } of operations) outcomes[index] ??= refusal;
  }
}
