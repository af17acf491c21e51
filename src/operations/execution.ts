import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/load-config.js';
import { BffError } from '../errors/bff-error.js';
import type { Member } from '../http/end-user.js';
import type { RequestContext } from '../http/request-context.js';
import { BrowserTokens } from '../token/browser-tokens.js';
import { PartnerTokens } from '../token/partner-tokens.js';
import { AnswerShaping, type SealAttachment } from './answers/answer-shaping.js';
import { OwnershipProofs } from './guards/ownership-proofs.js';
import { Interventions } from './interventions.js';
import type { Item, Operation } from './operation.js';
import type { Outcome } from './transport/graphql-result.js';
import { MemberCredentials } from './transport/credential.js';
import { OperationRunner } from './transport/operation-runner.js';
import { ResponseCache } from './transport/response-cache.js';

/**
 * Carries out operations for a member: binds registered ones to the hirer, proves ownership, looks into the
 * response cache, sends, and shapes the answers. The failure of one operation leaves the others alone.
 */
@Injectable()
export class Execution {
  constructor(
    private readonly browserTokens: BrowserTokens,
    private readonly partnerTokens: PartnerTokens,
    private readonly runner: OperationRunner,
    private readonly proofs: OwnershipProofs,
    private readonly shaping: AnswerShaping,
    private readonly cache: ResponseCache,
    private readonly interventions: Interventions,
    @Inject(CONFIG) private readonly config: Pick<Config, 'UPSTREAM_TIMEOUT_MS'>,
  ) {}

  /**
   * An outcome for each item, in order, for the member of the context; without one, no operation carries a token.
   * @param seal makes the links to attachments
   * @throws BffError when there is no token for any of them
   * @throws ExchangeFault of kind `aborted` when the caller has disconnected
   */
  async run(items: readonly Item[], context: RequestContext, seal: SealAttachment): Promise<Outcome[]> {
    context.deadline = performance.now() + this.config.UPSTREAM_TIMEOUT_MS;
    const { member } = context;
    const credentials = member && new MemberCredentials(member, this.browserTokens, this.partnerTokens);
    const outcomes = new Array<Outcome>(items.length);
    const operations: Operation[] = [];
    for (let index = 0; index < items.length; index += 1) {
      const item = items[index]!;
      const ready = member && credentials ? prepare(item, member, credentials) : item;
      if (ready instanceof BffError) outcomes[index] = ready;
      else operations.push(ready);
    }
    const isGuarded = operations.some(({ guards }) => guards.length > 0);
    const ready = isGuarded
      ? await this.proofs.admit(operations, credentials!, context, outcomes)
      : operations;
    const [first] = ready;
    await (ready.every(({ credential }) => credential === first!.credential)
      ? this.runGroup(ready, context, outcomes)
      : this.runGroups(ready, context, outcomes));
    const isShaped = ready.some(({ registered }) => registered !== undefined);
    if (member && isShaped) {
      await this.shaping.shapeAll(ready, member, context.cancellation, outcomes, seal);
      this.forgetUnusable(ready, context, outcomes);
    }
    return outcomes;
  }

  /** An answer that could not be shown is not kept for the next caller. */
  private forgetUnusable(
    operations: readonly Operation[],
    { acceptLanguage }: RequestContext,
    outcomes: readonly Outcome[],
  ): void {
    for (const operation of operations) {
      const outcome = outcomes[operation.index];
      const isUnusable = outcome instanceof BffError && outcome.code === 'upstream_error';
      if (isUnusable) this.cache.drop(operation, acceptLanguage);
    }
  }

  /** Operations of one credential go together; the credentials fail apart. */
  private async runGroups(
    operations: readonly Operation[],
    context: RequestContext,
    outcomes: Outcome[],
  ): Promise<void> {
    const groups = Map.groupBy(operations, ({ credential }) => credential).values();
    const runGroup = async (group: readonly Operation[]): Promise<void> => {
      try {
        await this.runGroup(group, context, outcomes);
      } catch (error) {
        if (!(error instanceof BffError)) throw error;
        for (const { index } of group) outcomes[index] ??= error;
      }
    };
    await Promise.all([...groups].map(runGroup));
  }

  private async runGroup(
    group: readonly Operation[],
    context: RequestContext,
    outcomes: Outcome[],
  ): Promise<void> {
    const { acceptLanguage } = context;
    const uncached: Operation[] = [];
    for (const operation of group) {
      const kept = this.cache.get(operation, acceptLanguage);
      if (kept) {
        this.interventions.count('cached');
        outcomes[operation.index] = kept;
      } else {
        uncached.push(operation);
      }
    }
    if (uncached.length === 0) return;
    const results = await this.runner.run(uncached, context);
    uncached.forEach((operation, place) => {
      outcomes[operation.index] = results[place]!;
      this.cache.put(operation, acceptLanguage, results[place]!);
    });
  }
}

/** The operation as it is sent for a member: bound to the hirer, with the credential it needs. */
function prepare(item: Item, { hirerId }: Member, credentials: MemberCredentials): Item {
  if (item instanceof BffError) return item;
  const { registered, variables } = item;
  try {
    const credential = credentials.of(registered?.compiled.token ?? 'browser');
    if (!registered) return { ...item, credential };
    return { ...item, credential, ...registered.prepare(variables, hirerId) };
  } catch (error) {
    if (error instanceof BffError) return error;
    throw error;
  }
}
