import { BffError } from '../errors/bff-error.js';
import type { BrowserToken, BrowserTokens } from '../token/browser-tokens.js';
import type { PartnerTokens } from '../token/partner-tokens.js';
import type { RequestContext } from '../http/request-context.js';
import type { AttachmentLinks } from './attachments/attachment-links.js';
import {
  BrowserCredential,
  NO_CREDENTIAL,
  PartnerCredential,
  type Credential,
} from './transport/credential.js';
import { parseExact } from '../http/exact-json.js';
import type { Outcome } from './transport/graphql-result.js';
import type { Interventions } from './interventions.js';
import { isObject } from './operation-request.js';
import type { Plan } from './plan.js';
import type { Guard } from './operations/registered-operation.js';
import type { ResponseCache } from './transport/response-cache.js';
import type { Task } from './transport/task.js';
import type { Run, TaskRunner } from './transport/task-runner.js';

/** A user at a hirer, both checked on this very request. */
export interface Member {
  readonly hirerId: string;
  readonly userId: string;
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
  readonly onToken: (token: BrowserToken) => void;
}

/** Whom a request is executed for. */
export interface Caller {
  readonly context: RequestContext;
  /** Who pays for the request in the request limit. */
  readonly limitKey: string;
  /** Undefined for one who asks for what needs no token. */
  readonly member: Member | undefined;
}

/** What carries a plan out. */
export interface ExecutionParts {
  readonly browserTokens: BrowserTokens;
  readonly partnerTokens: PartnerTokens;
  readonly runner: TaskRunner;
  readonly links: AttachmentLinks;
  readonly cache: ResponseCache;
  readonly interventions: Interventions;
  readonly timeoutMs: number;
}

/** All who ask for what needs no token count as one user: nobody knows how many they are. */
const STRANGERS = 'strangers';

/** A task with what must be proven before, and the credential it needs. */
interface Errand {
  readonly task: Task;
  readonly guards: readonly Guard[];
  readonly credential: Credential;
}

/** Carries out what was planned, for one caller: a failure of one item leaves the others alone. */
export class Execution {
  constructor(private readonly parts: ExecutionParts) {}

  /**
   * @throws BffError when there is no token for any of it
   * @throws UpstreamFault of kind `aborted` when the caller has gone
   */
  async run(plans: readonly Plan[], caller: Caller): Promise<Outcome[]> {
    const outcomes = new Array<Outcome>(plans.length);
    const { context } = caller;
    const { cancellation } = context;
    const user = caller.member?.userId ?? STRANGERS;
    const run = { context, user, cancellation, deadline: performance.now() + this.parts.timeoutMs };
    const credentials = this.credentialsOf(caller);
    const errands: Errand[] = [];
    plans.forEach((plan, index) => {
      const errand = this.prepare(plan, index, caller, credentials);
      if (errand instanceof BffError) outcomes[index] = errand;
      else errands.push(errand);
    });
    const guarded = errands.some(({ guards }) => guards.length > 0);
    const ready = guarded ? await this.passGuards(errands, caller, credentials, run, outcomes) : errands;
    const [first] = ready;
    if (ready.every(({ credential }) => credential === first!.credential)) {
      await this.runGroup(ready, run, outcomes);
    } else {
      await this.runGroups(ready, run, outcomes);
    }
    for (const { task } of ready) {
      outcomes[task.index] = this.shape(task, outcomes[task.index]!, caller.member);
    }
    return outcomes;
  }

  /** Errands of one credential go together; the credentials fail apart. */
  private async runGroups(errands: readonly Errand[], run: Run, outcomes: Outcome[]): Promise<void> {
    const credentials = new Set(errands.map(({ credential }) => credential));
    const groups = [...credentials].map((one) => errands.filter(({ credential }) => credential === one));
    const runGroup = async (group: readonly Errand[]): Promise<void> => {
      try {
        await this.runGroup(group, run, outcomes);
      } catch (error) {
        if (!(error instanceof BffError)) throw error;
        for (const { task } of group) outcomes[task.index] ??= error;
      }
    };
    await Promise.all(groups.map(runGroup));
  }

  private credentialsOf({ member }: Caller): readonly Credential[] {
    if (!member) return [NO_CREDENTIAL];
    const { hirerId, userId, scopes, onToken } = member;
    const { browserTokens, partnerTokens } = this.parts;
    return [
      new BrowserCredential(browserTokens, { hirerId, userId, scopes }, onToken),
      new PartnerCredential(partnerTokens, hirerId, userId),
    ];
  }

  private prepare(
    plan: Plan,
    index: number,
    { member }: Caller,
    credentials: readonly Credential[],
  ): Errand | BffError {
    if (plan.kind === 'refused') return plan.error;
    const [common, partner = common] = credentials as readonly [Credential, Credential?];
    try {
      if (plan.kind === 'registered') {
        const { compiled } = plan.operation;
        const credential = compiled.token === 'partner' ? partner : usable(common, member);
        const { bytes, guards } = plan.operation.prepare(exactVariables(plan.request.bytes), member!.hirerId);
        const { type, rootKeys } = compiled;
        return { task: { index, bytes, type, rootKeys, registered: plan.operation }, guards, credential };
      }
      const { type, rootKeys } = plan.operation;
      const task = { index, bytes: plan.request.bytes, type, rootKeys };
      return { task, guards: [], credential: usable(common, member) };
    } catch (error) {
      if (error instanceof BffError) return error;
      throw error;
    }
  }

  /** Runs the queries that must prove ownership first; what they do not prove is refused. */
  private async passGuards(
    errands: readonly Errand[],
    caller: Caller,
    credentials: readonly Credential[],
    run: Run,
    outcomes: Outcome[],
  ): Promise<readonly Errand[]> {
    await Promise.all(
      errands.map(async ({ task, guards }) => {
        const refusals = await Promise.all(
          guards.map((guard) => this.passGuard(guard, caller, credentials, run)),
        );
        const refusal = refusals.find((one) => one !== undefined);
        if (refusal) outcomes[task.index] = refusal;
      }),
    );
    return errands.filter(({ task }) => outcomes[task.index] === undefined);
  }

  private async passGuard(
    { operation, bytes }: Guard,
    { member }: Caller,
    [browser, partner]: readonly Credential[],
    run: Run,
  ): Promise<BffError | undefined> {
    const { token, rootKeys } = operation.compiled;
    try {
      const credential = token === 'partner' ? partner! : usable(browser!, member);
      const task: Task = { index: 0, bytes, type: 'query', rootKeys };
      const [outcome] = await this.parts.runner.run([task], credential, run);
      if (outcome instanceof BffError) return outcome;
      if (operation.proves(outcome!, member!.hirerId)) return undefined;
    } catch (error) {
      if (error instanceof BffError) return error;
      throw error;
    }
    this.parts.interventions.count('owner_refused');
    return new BffError('hirer_forbidden', {
      message: `${operation.compiled.name} does not prove ownership`,
    });
  }

  private async runGroup(group: readonly Errand[], run: Run, outcomes: Outcome[]): Promise<void> {
    const { cache, runner, interventions } = this.parts;
    const { acceptLanguage } = run.context;
    if (group.length === 0) return;
    const { credential } = group[0]!;
    const tasks: Task[] = [];
    for (const { task } of group) {
      const kept = cache.get(task, credential, acceptLanguage);
      if (kept) {
        interventions.count('cached');
        outcomes[task.index] = kept;
      } else {
        tasks.push(task);
      }
    }
    if (tasks.length === 0) return;
    const results = await runner.run(tasks, credential, run);
    tasks.forEach((task, place) => {
      outcomes[task.index] = results[place]!;
      cache.put(task, credential, acceptLanguage, results[place]!);
    });
  }

  private shape(task: Task, outcome: Outcome, member: Member | undefined): Outcome {
    if (!task.registered || !member || outcome instanceof BffError) return outcome;
    const { interventions, links } = this.parts;
    const { hirerId, userId } = member;
    let removed = 0;
    const shaped = task.registered.shape(outcome, {
      hirerId,
      mapText: (text) => links.replace(text, hirerId, userId),
      onRemoved: () => (removed += 1),
    });
    if (removed > 0) interventions.count('fields_removed', removed);
    if (shaped instanceof BffError && shaped.code === 'hirer_forbidden') interventions.count('owner_refused');
    return shaped;
  }
}

/** A browser token needs a scope (interface 2.1). */
function usable(credential: Credential, member: Member | undefined): Credential {
  if (member?.scopes.length === 0) {
    throw new BffError('scope_forbidden', { detail: 'No scope is open to your role at this hirer.' });
  }
  return credential;
}

function exactVariables(bytes: Buffer): Record<string, unknown> {
  const request = parseExact(bytes.toString('utf8'));
  const variables = isObject(request) ? request['variables'] : undefined;
  return isObject(variables) ? variables : {};
}
