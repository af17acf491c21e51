import type { ServerResponse } from 'node:http';
import type { EndUser } from '../http/end-user.js';
import { BffError } from '../errors/bff-error.js';
import type { HirerAccess } from '../hirer-access/hirer-access.js';
import type { HirerGate } from '../hirer-access/hirer-gate.js';
import type { Log } from '../telemetry/log.js';
import type { Metrics } from '../telemetry/metrics.js';
import type { RateLimit } from '../storage/rate-limit.js';
import type { BrowserToken } from '../token/browser-tokens.js';
import type { RequestContext } from '../http/request-context.js';
import { joinAnswers, toAnswer, type ProxyAnswer } from './proxy-answer.js';
import type { Caller, Execution } from './execution.js';
import type { Outcome } from './transport/graphql-result.js';
import { chooseHirer } from './hirer-choice.js';
import { readRequestBody, type OperationRequest } from './operation-request.js';
import { BREAKS_MAX } from './documents/operation-rules.js';
import { callerNetwork } from '../http/caller-network.js';
import { authorize, type Plan, type Planner } from './plan.js';
import type { UnreadAnswers } from './unread-answers.js';

/** A request to `POST /graphql`. */
export interface ProxyRequest {
  /** Who sends it, or why that is not known. */
  readonly user: EndUser | BffError;
  readonly body: unknown;
  /** `X-Hirer-Id`. */
  readonly hirerHeader: unknown;
  readonly context: RequestContext;
  /** Where the answer will go: it is in memory until it was taken. */
  readonly response: ServerResponse;
}

/** What is to be done for the items of a body. */
interface Planned {
  readonly isArray: boolean;
  readonly plans: readonly Plan[];
}

/** What the stages of a request need. */
export interface ProxyParts {
  readonly hirerAccess: HirerAccess;
  readonly gate: HirerGate;
  readonly requestLimit: RateLimit;
  readonly planner: Planner;
  readonly execution: Execution;
  readonly unread: UnreadAnswers;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly batchLimit: number;
}

/**
 * `POST /graphql`: an operation of an end user goes upstream, confined to a hirer the user belongs to. The order is the
 * guarantee: the user is known before the body is read; then validate, membership, request limit, and only then tokens
 * and the upstream. Every request leaves one audit record, and each of its items is counted.
 */
export class GraphqlProxy {
  private readonly items;

  constructor(private readonly parts: ProxyParts) {
    this.items = parts.metrics.counter(
      'bff_graphql_items_total',
      'GraphQL operations asked for, by outcome: ok, errors (of the upstream), cancelled, or the error code.',
      ['outcome'],
    );
  }

  /**
   * @throws BffError for a single request that fails, and for an array that is refused as a whole
   * @throws UpstreamFault of kind `aborted` when the caller has gone
   */
  async answer(request: ProxyRequest): Promise<ProxyAnswer> {
    const { user, context } = request;
    const known = !(user instanceof BffError);
    const { isArray, plans } = known ? this.planAll(request) : this.planForStranger(request.body, user);
    noteOperations(plans, context);
    const [first] = plans;
    if (!isArray && first?.kind === 'refused') throw first.error;
    const open = !isArray && isVersionOnly(first!);
    const caller = known && !open ? await this.enter(user, request) : withoutHirer(request);
    const { member } = caller;
    const authorized = member ? plans.map((plan) => authorize(plan, member)) : plans;
    const [only] = authorized;
    if (!isArray && only?.kind === 'refused') throw only.error;
    const admitted = await this.admit(authorized, caller.limitKey);
    this.parts.unread.admit(caller.limitKey);
    const outcomes = await this.parts.execution.run(admitted, caller);
    const answer = this.finish(outcomes, isArray, plans, context);
    this.parts.unread.follow(caller.limitKey, answer.body.length, request.response);
    return answer;
  }

  /** Counts the items of a request that has ended, by what its context notes. */
  count({ outcomes }: RequestContext): void {
    for (const outcome of outcomes) this.items.inc({ outcome });
  }

  private planAll({ body }: ProxyRequest): Planned {
    const { isArray, items } = readRequestBody(body, this.parts.batchLimit);
    return { isArray, plans: items.map((item) => this.parts.planner.plan(item)) };
  }

  /**
   * A caller without a user may ask for `version`, in a request of its own, and learns nothing about any other body.
   * @throws the refusal of the user
   */
  private planForStranger(body: unknown, refusal: BffError): Planned {
    const request = readVersionRequest(body);
    const plan = request && this.parts.planner.planVersion(request);
    if (!plan) throw refusal;
    return { isArray: false, plans: [plan] };
  }

  private async enter(user: EndUser, { hirerHeader, context }: ProxyRequest): Promise<Caller> {
    const { hirerAccess, gate } = this.parts;
    const { notes } = context;
    const chosen = chooseHirer(user, hirerHeader, hirerAccess);
    const hirerId = (notes.hirerId = chosen instanceof Promise ? await chosen : chosen);
    const entered = context.stage('membership', () => gate.enter(user, hirerId));
    const entry = entered instanceof Promise ? await entered : entered;
    notes.roles = entry.roles;
    const onToken = ({ source, expiresAt, tokenHash }: BrowserToken): void => {
      if (notes.tokenHash === tokenHash) return; // the same token again, now from the cache
      Object.assign(notes, { scopesGranted: entry.scopes, source, expiresAt, tokenHash });
    };
    const member = { ...entry, hirerId, userId: user.userId, onToken };
    return { context, limitKey: user.userId, member };
  }

  /**
   * Takes a point for each item. Items above the limit are refused in their places; all of them, as a whole.
   * @throws BffError `rate_limited`
   */
  private async admit(plans: readonly Plan[], key: string): Promise<readonly Plan[]> {
    const { points, retryAfterSeconds } = await this.parts.requestLimit.takeUpTo(key, plans.length);
    if (retryAfterSeconds === undefined) return plans;
    const error = new BffError('rate_limited', { retryAfterSeconds });
    if (points === 0) throw error;
    return plans.map((plan, index) => (index < points ? plan : ({ kind: 'refused', error } as const)));
  }

  private finish(
    outcomes: readonly Outcome[],
    isArray: boolean,
    plans: readonly Plan[],
    context: RequestContext,
  ): ProxyAnswer {
    const [only] = outcomes;
    if (!isArray && only instanceof BffError) throw only;
    context.notes.outcomes = outcomes.map(labelOf);
    const warnings = warningsOf(plans, isArray);
    if (warnings.length > 0) {
      this.parts.log.warn(
        { requestId: context.requestId, warnings },
        'operation breaks rules of the interface',
      );
    }
    const varies = plans.some((plan) => plan.kind === 'registered' && plan.operation.compiled.cache);
    const answer = isArray ? joinAnswers(outcomes, context.requestId) : toAnswer(only!, context.requestId);
    return { ...answer, warnings, varies };
  }
}

function noteOperations(plans: readonly Plan[], { notes }: RequestContext): void {
  const names = plans.flatMap((plan) => (plan.kind === 'registered' ? [plan.operation.compiled.name] : []));
  if (names.length > 0) notes.operations = names;
}

/** A caller of what needs neither hirer nor token. */
function withoutHirer({ user, context }: ProxyRequest): Caller {
  const limitKey = user instanceof BffError ? `address ${callerNetwork(context.address ?? '')}` : user.userId;
  return { context, limitKey, member: undefined };
}

/** The one request of the body; undefined for an array, and for a body of another shape. */
function readVersionRequest(body: unknown): OperationRequest | undefined {
  try {
    const { isArray, items } = readRequestBody(body, 1);
    const [request] = items;
    return isArray || request instanceof BffError ? undefined : request;
  } catch (error) {
    if (error instanceof BffError) return undefined;
    throw error;
  }
}

function isVersionOnly(plan: Plan): boolean {
  return plan.kind === 'text' && plan.operation.versionOnly;
}

function labelOf(outcome: Outcome): string {
  if (outcome instanceof BffError) return outcome.code;
  return outcome.hasErrors ? 'errors' : 'ok';
}

/** The first warnings of a request, as many as one operation may have. */
function warningsOf(plans: readonly Plan[], isArray: boolean): readonly string[] {
  const warnings = plans.flatMap((plan, index) => {
    if (plan.kind === 'refused') return [];
    return isArray ? plan.warnings.map((warning) => `[${index}] ${warning}`) : plan.warnings;
  });
  return warnings.slice(0, BREAKS_MAX);
}
