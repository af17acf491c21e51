import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/load-config.js';
import { BffError } from '../errors/bff-error.js';
import { StoreError } from '../errors/store-error.js';
import { toBffError } from '../errors/to-bff-error.js';
import { EventOwners } from '../hirer-access/event-owners.js';
import type { Member } from '../http/end-user.js';
import type { Cancellation } from '../http/cancellation.js';
import { parseExact } from '../json/parse-exact.js';
import { UpstreamFault } from '../http/outgoing/exchange.js';
import type { RequestContext } from '../http/request-context.js';
import { BrowserTokens } from '../token/browser-tokens.js';
import { PartnerTokens } from '../token/partner-tokens.js';
import { RequestLimit } from '../token/request-limit.js';
import { AnswerTurns } from './answer-turns.js';
import { AttachmentLinks } from './attachments/attachment-links.js';
import { Interventions } from '../operations/interventions.js';
import { isObject } from '../json/is-object.js';
import { operationOf, type Item, type Operation } from '../operations/operation.js';
import type { Guard, RegisteredOperation } from '../operations/registered-operation.js';
import { BrowserCredential, PartnerCredential, type Credential } from '../operations/transport/credential.js';
import type { Outcome } from '../operations/transport/graphql-result.js';
import { OperationRunner } from '../operations/transport/operation-runner.js';
import { ResponseCache } from '../operations/transport/response-cache.js';

/** The credentials of one member. */
type Credentials = Readonly<Record<'browser' | 'partner', Credential>>;

/** Carries out the operations of a request; the failure of one leaves the others alone. */
@Injectable()
export class Execution {
  constructor(
    private readonly browserTokens: BrowserTokens,
    private readonly partnerTokens: PartnerTokens,
    private readonly runner: OperationRunner,
    private readonly links: AttachmentLinks,
    private readonly turns: AnswerTurns,
    private readonly cache: ResponseCache,
    private readonly interventions: Interventions,
    private readonly eventOwners: EventOwners,
    private readonly requestLimit: RequestLimit,
    @Inject(CONFIG) private readonly config: Pick<Config, 'UPSTREAM_TIMEOUT_MS'>,
  ) {}

  /**
   * An outcome for each item, in order, for the member of the context; without one, no operation carries a token.
   * @throws BffError when there is no token for any of them
   * @throws UpstreamFault of kind `aborted` when the caller has disconnected
   */
  async run(items: readonly Item[], context: RequestContext): Promise<Outcome[]> {
    context.deadline = performance.now() + this.config.UPSTREAM_TIMEOUT_MS;
    const { member } = context;
    const credentials = member && this.credentialsOf(member);
    const outcomes = new Array<Outcome>(items.length);
    const operations: Operation[] = [];
    items.forEach((item, index) => {
      const ready = member && credentials ? prepare(item, member, credentials) : item;
      if (ready instanceof BffError) outcomes[index] = ready;
      else operations.push(ready);
    });
    const isGuarded = operations.some(({ guards }) => guards.length > 0);
    const ready = isGuarded ? await this.passGuards(operations, credentials!, context, outcomes) : operations;
    const [first] = ready;
    if (ready.every(({ credential }) => credential === first!.credential)) {
      await this.runGroup(ready, context, outcomes);
    } else {
      await this.runGroups(ready, context, outcomes);
    }
    if (member) await this.shapeAll(ready, member, context.cancellation, outcomes);
    return outcomes;
  }

  /** All answers of the request are counted until the last one is shaped, since they are in memory until then. */
  private async shapeAll(
    operations: readonly Operation[],
    member: Member,
    cancellation: Cancellation,
    outcomes: Outcome[],
  ): Promise<void> {
    const releases = operations.map((operation) => this.hold(operation, member, outcomes));
    try {
      for (const operation of operations) {
        const { index, registered } = operation;
        if (!registered) continue;
        if (cancellation.cancelled) throw new UpstreamFault('aborted', true);
        outcomes[index] = await this.shape(operation, registered, outcomes[index]!, member);
      }
    } finally {
      for (const release of releases) release?.();
    }
  }

  /** Counts an answer that must be shaped; one that is too much is dropped, and the refusal stands in its place. */
  private hold(
    { index, registered }: Operation,
    { userId }: Member,
    outcomes: Outcome[],
  ): (() => void) | undefined {
    const outcome = outcomes[index]!;
    if (!registered || outcome instanceof BffError) return undefined;
    try {
      return this.turns.hold(userId, outcome);
    } catch (error) {
      if (!(error instanceof BffError)) throw error;
      outcomes[index] = error;
      return undefined;
    }
  }

  private credentialsOf(member: Member): Credentials {
    return {
      browser: new BrowserCredential(this.browserTokens, member),
      partner: new PartnerCredential(this.partnerTokens, member),
    };
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

  /** Runs the queries that must prove ownership first; an operation without proof is refused. */
  private async passGuards(
    operations: readonly Operation[],
    credentials: Credentials,
    context: RequestContext,
    outcomes: Outcome[],
  ): Promise<readonly Operation[]> {
    const refusals = await Promise.all(
      operations.map(async ({ guards }) => {
        const refused = await this.admitRepeats(guards, context);
        if (refused) return refused;
        const all = guards.map((guard) => this.passGuard(guard, credentials, context));
        return (await Promise.all(all)).find((refusal) => refusal !== undefined);
      }),
    );
    return operations.filter(({ index }, place) => {
      const refusal = refusals[place];
      if (refusal) outcomes[index] = refusal;
      return !refusal;
    });
  }

  /**
   * Takes a point of the request limit for each object that a guard proves beyond its first, so that a list of objects
   * costs its caller what asking for them one by one does.
   */
  private async admitRepeats(
    guards: readonly Guard[],
    { member }: RequestContext,
  ): Promise<BffError | undefined> {
    const repeats = guards.length - new Set(guards.map(({ operation }) => operation)).size;
    if (repeats === 0) return undefined;
    const { retryAfterSeconds } = await this.requestLimit.takeUpTo(member!.userId, repeats);
    return retryAfterSeconds === undefined ? undefined : new BffError('rate_limited', { retryAfterSeconds });
  }

  private async passGuard(
    { operation: registered, bytes }: Guard,
    credentials: Credentials,
    context: RequestContext,
  ): Promise<BffError | undefined> {
    const { name, token, rootKeys } = registered.compiled;
    const { hirerId, scopes } = context.member!;
    try {
      const credential = usable(credentials, token, scopes);
      const query = operationOf({ index: 0, bytes, type: 'query', rootKeys, registered, credential });
      const [outcome] = await this.runner.run([query], context);
      if (outcome instanceof BffError) return outcome;
      if (registered.proves(outcome!, hirerId)) return undefined;
    } catch (error) {
      if (error instanceof BffError) return error;
      throw error;
    }
    this.interventions.count('owner_refused');
    return new BffError('hirer_forbidden', { message: `${name} does not prove ownership` });
  }

  private async shape(
    { eventId }: Operation,
    registered: RegisteredOperation,
    outcome: Outcome,
    { hirerId, userId }: Member,
  ): Promise<Outcome> {
    if (outcome instanceof BffError) return outcome;
    const eventHirerId = eventId === undefined ? undefined : await this.hirerOfEvent(eventId);
    if (eventHirerId instanceof BffError) return eventHirerId;
    let removed = 0;
    const steps = registered.shape(outcome, {
      hirerId,
      eventHirerId,
      mapText: (text) => this.links.replace(text, hirerId, userId),
      onRemoved: () => (removed += 1),
    });
    const shaped = await this.turns.shape(userId, outcome, steps);
    if (removed > 0) this.interventions.count('fields_removed', removed);
    if (shaped instanceof BffError && shaped.code === 'hirer_forbidden') {
      this.interventions.count('owner_refused');
    }
    return shaped;
  }

  /** A store that fails fails this operation alone. */
  private async hirerOfEvent(eventId: string): Promise<string | undefined | BffError> {
    try {
      return await this.eventOwners.hirerOf(eventId);
    } catch (error) {
      if (error instanceof StoreError) return toBffError(error);
      throw error;
    }
  }
}

/** The operation as it is sent for a member: bound to the hirer, with the credential it needs. */
function prepare(item: Item, { hirerId, scopes }: Member, credentials: Credentials): Item {
  if (item instanceof BffError) return item;
  const { registered, bytes } = item;
  try {
    const credential = usable(credentials, registered?.compiled.token ?? 'browser', scopes);
    if (!registered) return { ...item, credential };
    return { ...item, credential, ...registered.prepare(exactVariables(bytes), hirerId) };
  } catch (error) {
    if (error instanceof BffError) return error;
    throw error;
  }
}

/** A browser token needs a scope (interface 2.1). */
function usable(credentials: Credentials, token: keyof Credentials, scopes: readonly string[]): Credential {
  if (token === 'browser' && scopes.length === 0) {
    throw new BffError('scope_forbidden', { detail: 'No scope is open to your role at this hirer.' });
  }
  return credentials[token];
}

function exactVariables(bytes: Buffer): Record<string, unknown> {
  const request = parseExact(bytes.toString('utf8'));
  const variables = isObject(request) ? request['variables'] : undefined;
  return isObject(variables) ? variables : {};
}
