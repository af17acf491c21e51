import { Inject, Injectable } from '@nestjs/common';
import { UserIds } from '../../auth/user-ids.js';
import { Default } from '../../config/default.js';
import { CONFIG, type Config } from '../../config/load-config.js';
import { BffError } from '../../errors/bff-error.js';
import { MembershipGate } from '../../hirer-access/membership-gate.js';
import { Member } from '../../http/end-user.js';
import { type Cancellation, RequestContext } from '../../http/request-context.js';
import { ExchangeFault } from '../../http/outgoing/exchange.js';
import { isObject, parseExact } from '../../json/parse-json.js';
import type { EventTrigger } from '../../operations/compile/directives.js';
import { callOf } from '../../operations/operation.js';
import { Operations } from '../../operations/operations.service.js';
import type { RegisteredOperation } from '../../operations/registered-operation.js';
import { RegisteredOperations } from '../../operations/registered-operations.js';
import type { Outcome } from '../../operations/transport/graphql-result.js';
import { LOG, type Log } from '../../telemetry/log.js';
import type { Claimed } from '../store/deliveries.js';
import { readObject, type ObjectError, type ObjectOutcome, type PassingFailure } from './read-object.js';

/** Instead of an issuer, in the pseudonym that the upstream sees for deliveries to a hirer. */
const DELIVERIES = 'urn:partner-bff:deliveries';
const PAUSE_MS_MIN = 2_000;
const PAUSE_MS_MAX = 60_000;
/** The last pause before the patience ends is no shorter. */
const LAST_PAUSE_MS_MIN = 500;

/**
 * While so many calls for a hirer are under way that have taken longer than {@link SLOW_MS}, or follow one that did,
 * its other objects are not requested: half of a sink's.
 */
const SLOW_MAX = 16;
const SLOW_MS = 1_000;

export type ObjectSource = Pick<EventObjects, 'has' | 'fetch'>;

/**
 * The objects that go with events: the operation with `@event` for the type is run for the event's hirer, as a machine,
 * at each attempt to deliver it. Its answer is checked like every other, and neither stored nor logged. While the
 * upstream fails, the delivery waits, up to `EVENT_OBJECT_PATIENCE_SECONDS` after the event was received.
 */
@Injectable()
export class EventObjects {
  private readonly byType = new Map<string, { registered: RegisteredOperation; trigger: EventTrigger }>();
  private readonly patienceMs: number;
  /** From and until then the upstream refuses calls, because there were too many. */
  private limitedSince: number | undefined;
  private limitedUntil = 0;
  /** When the calls under way began, by hirer, the oldest first. */
  private readonly underWay = new Map<string, number[]>();
  /** Since when the calls for a hirer have taken longer than {@link SLOW_MS}. */
  private readonly slow = new Map<string, { since: number; last: number }>();

  constructor(
    registered: RegisteredOperations,
    @Inject(Operations) private readonly operations: Pick<Operations, 'run'>,
    private readonly gate: MembershipGate,
    private readonly userIds: UserIds,
    @Inject(LOG) private readonly log: Log,
    @Inject(CONFIG) config: Pick<Config, 'EVENT_OBJECT_PATIENCE_SECONDS'>,
    @Default() private readonly steadyNow: () => number = () => performance.now(),
  ) {
    for (const operation of registered.all()) {
      for (const trigger of operation.compiled.events) {
        this.byType.set(trigger.type, { registered: operation, trigger });
      }
    }
    this.patienceMs = config.EVENT_OBJECT_PATIENCE_SECONDS * 1000;
  }

  has({ type }: Pick<Claimed, 'type'>): boolean {
    return this.byType.has(type);
  }

  /** Never rejects for what the upstream does. @param stopping ends the attempt; the delivery then waits */
  async fetch(event: Claimed, stopping: Cancellation): Promise<ObjectOutcome> {
    const { hirerId, type } = event;
    if (hirerId === null) return without({ code: 'FORBIDDEN' });
    const { registered, trigger } = this.byType.get(type)!;
    const variables = variablesOf(event, trigger);
    if ('missing' in variables) return without({ code: 'BAD_USER_INPUT', path: [variables.missing] });
    const limitedMs = this.limitedUntil - this.steadyNow();
    if (limitedMs > 0) return this.defer(event, 'RATE_LIMITED', limitedMs, this.limitedSince);
    if (this.isSlow(hirerId)) {
      return this.defer(event, 'UPSTREAM_TIMEOUT', pauseMsAfter(event), this.slowSince(hirerId));
    }
    const outcome = await this.run(registered, variables.given, hirerId, stopping);
    if (outcome === undefined) return { kind: 'waiting', reason: 'cancelled', pauseMs: PAUSE_MS_MIN };
    return this.settle(event, outcome);
  }

  private slowSince(hirerId: string): number | undefined {
    const slow = this.slow.get(hirerId);
    return slow && this.steadyNow() - slow.last <= 2 * PAUSE_MS_MAX ? slow.since : undefined;
  }

  private isSlow(hirerId: string): boolean {
    const begunAt = this.underWay.get(hirerId)?.[SLOW_MAX - 1];
    return begunAt !== undefined && (this.slow.has(hirerId) || this.steadyNow() - begunAt > SLOW_MS);
  }

  /** Undefined when the attempt was ended. */
  private async run(
    registered: RegisteredOperation,
    variables: Readonly<Record<string, unknown>>,
    hirerId: string,
    stopping: Cancellation,
  ): Promise<Outcome | undefined> {
    const context = RequestContext.background();
    const userId = this.userIds.of(DELIVERIES, hirerId); // each hirer's deliveries count as one user
    context.member = new Member({ userId, isMachine: true }, hirerId, this.gate.machineEntry);
    const stop = (): void => context.cancellation.cancel();
    if (stopping.cancelled) stop();
    stopping.on('abort', stop);
    const begunAt = this.steadyNow();
    const begun = this.underWay.get(hirerId) ?? [];
    this.underWay.set(hirerId, begun);
    begun.push(begunAt);
    try {
      const [outcome] = await this.operations.run([callOf(registered, { variables })], context);
      return outcome;
    } catch (error) {
      if (error instanceof BffError) return error;
      if (error instanceof ExchangeFault && error.kind === 'aborted') return undefined;
      this.log.error({ err: error, operation: registered.compiled.name }, 'the object of an event failed');
      return new BffError('internal_error', { cause: error });
    } finally {
      stopping.off('abort', stop);
      const wasSlow = this.steadyNow() - begunAt > SLOW_MS;
      const since = this.slowSince(hirerId) ?? this.steadyNow();
      if (wasSlow) this.slow.set(hirerId, { since, last: this.steadyNow() });
      else this.slow.delete(hirerId);
      begun.splice(begun.indexOf(begunAt), 1);
      if (begun.length === 0) this.underWay.delete(hirerId);
    }
  }

  private settle(event: Claimed, outcome: Outcome): ObjectOutcome {
    const read = readObject(outcome);
    if (!('isRateLimit' in read) || !read.isRateLimit) this.limitedSince = undefined;
    if (!('isRateLimit' in read)) return { kind: 'settled', ...read };
    if (read.isRateLimit) {
      const now = this.steadyNow();
      this.limitedSince ??= now;
      const until = now + (read.retryAfterSeconds ?? 1) * 1000;
      this.limitedUntil = Math.max(this.limitedUntil, until);
    }
    return this.wait(event, read.errors, read.retryAfterSeconds);
  }

  /** An event that is not asked for, because of others, goes without its object only if that lasts as long as the patience. */
  private defer(event: Claimed, code: string, pauseMs: number, since = this.steadyNow()): ObjectOutcome {
    const leftMs = since + this.patienceMs - this.steadyNow();
    if (leftMs <= 0) return this.wait(event, [{ code }], pauseMs / 1000);
    return { kind: 'waiting', reason: code, pauseMs: Math.min(pauseMs, Math.max(leftMs, LAST_PAUSE_MS_MIN)) };
  }

  private wait(event: Claimed, errors: PassingFailure['errors'], retryAfterSeconds = 0): ObjectOutcome {
    const leftMs = this.patienceMs - event.waitedMs;
    if (leftMs <= 0) return without(...errors);
    const ownMs = Math.max(pauseMsAfter(event), retryAfterSeconds * 1000);
    const pauseMs = Math.min(ownMs, Math.max(leftMs, LAST_PAUSE_MS_MIN));
    return { kind: 'waiting', reason: errors[0].code, pauseMs };
  }
}

function pauseMsAfter({ waitedMs }: Claimed): number {
  return Math.min(Math.max(waitedMs / 2, PAUSE_MS_MIN), PAUSE_MS_MAX);
}

function without(...errors: ObjectError[]): ObjectOutcome {
  return { kind: 'settled', object: undefined, errors };
}

/** The variables of a call for the event, or the member that it lacks. */
function variablesOf(
  { payload }: Claimed,
  { variables }: EventTrigger,
): { readonly given: Readonly<Record<string, unknown>> } | { readonly missing: string } {
  const event = parseExact(payload!);
  const given: Record<string, unknown> = {};
  for (const [variable, member] of variables) {
    const value = isObject(event) && Object.hasOwn(event, member) ? event[member] : undefined;
    if (value === undefined || value === null) return { missing: member };
    given[variable] = value;
  }
  return { given };
}
