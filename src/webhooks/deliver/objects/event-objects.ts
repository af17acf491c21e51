import { Inject, Injectable } from '@nestjs/common';
import { UserIds } from '../../../auth/user-ids.js';
import { Default } from '../../../config/default.js';
import { CONFIG, type Config } from '../../../config/load-config.js';
import { BffError } from '../../../errors/bff-error.js';
import { HirerGate } from '../../../hirer-access/hirer-gate.js';
import type { Cancellation } from '../../../http/cancellation.js';
import { ExchangeFault } from '../../../http/outgoing/exchange.js';
import { RequestContext } from '../../../http/request-context.js';
import { isObject } from '../../../json/is-object.js';
import { parseExact } from '../../../json/parse-exact.js';
import { AttachmentLinks } from '../../../operations/attachments/attachment-links.js';
import type { EventTrigger } from '../../../operations/compile/directives.js';
import { Execution } from '../../../operations/execution.js';
import { operationOf, type Item } from '../../../operations/operation.js';
import type { RegisteredOperation } from '../../../operations/registered-operation.js';
import { RegisteredOperations } from '../../../operations/registered-operations.js';
import type { Outcome } from '../../../operations/transport/graphql-result.js';
import { LOG, type Log } from '../../../telemetry/log.js';
import { WebhookMetrics } from '../../webhook-metrics.js';
import type { TakenEvent } from '../delivery-queue.js';
import type { DeliveredObject, ObjectError, ObjectOutcome } from './delivered-object.js';
import { ObjectHolds, type Held } from './object-holds.js';
import { readObject, type PassingFailure } from './read-object.js';

/** In the place of an issuer, for the pseudonym by which the upstream knows deliveries for a hirer. */
const DELIVERIES = 'urn:partner-bff:deliveries';
const PAUSE_MS_MIN = 2_000;
const PAUSE_MS_MAX = 60_000;
/** The last pause before the patience ends is no shorter. */
const LAST_PAUSE_MS_MIN = 500;

/** An operation, and how an event calls it. */
interface EventOperation {
  readonly registered: RegisteredOperation;
  readonly trigger: EventTrigger;
}

/** Settings that {@link EventObjects} reads. */
type ObjectSettings = Pick<Config, 'EVENT_OBJECT_PATIENCE_SECONDS'>;

/**
 * The objects that go with events: the operation with `@event` for the type of an event is run for the event's hirer, as
 * a machine, at each attempt to deliver it. Its answer is proven like every other. Nothing of it is stored or logged.
 * While the upstream fails, the delivery waits, up to `EVENT_OBJECT_PATIENCE_SECONDS` after the event was received.
 */
@Injectable()
export class EventObjects {
  private readonly byType = new Map<string, EventOperation>();
  private readonly holds: ObjectHolds;
  private readonly patienceMs: number;

  constructor(
    operations: RegisteredOperations,
    @Inject(Execution) private readonly execution: Pick<Execution, 'run'>,
    private readonly links: AttachmentLinks,
    private readonly gate: HirerGate,
    private readonly userIds: UserIds,
    private readonly metrics: WebhookMetrics,
    @Inject(LOG) private readonly log: Log,
    @Inject(CONFIG) config: ObjectSettings,
    @Default() private readonly now: () => number = Date.now,
  ) {
    for (const registered of operations.all()) {
      for (const trigger of registered.compiled.events) {
        this.byType.set(trigger.type, { registered, trigger });
      }
    }
    this.patienceMs = config.EVENT_OBJECT_PATIENCE_SECONDS * 1000;
    this.holds = new ObjectHolds(now);
  }

  /** Types of events that an object goes with. */
  get types(): readonly string[] {
    return [...this.byType.keys()];
  }

  /** Events received before that time are not held: their patience is over. */
  get heldSince(): number {
    return this.now() - this.patienceMs;
  }

  /** The events of {@link types} in the queue of a sink that are not worth a try now. */
  held(sink: string): Held {
    return this.holds.held(sink);
  }

  /** True if an object may go with the event. */
  has({ type }: Pick<TakenEvent, 'type'>): boolean {
    return this.byType.has(type);
  }

  /**
   * The object of an event of {@link types}. Never rejects for what the upstream does.
   * @param stopping ends the attempt; the delivery then waits
   */
  async fetch(event: TakenEvent, stopping: Cancellation): Promise<ObjectOutcome> {
    const { hirerId, type } = event;
    if (hirerId === null) return without({ code: 'FORBIDDEN' });
    const { registered, trigger } = this.byType.get(type)!;
    const variables = variablesOf(event, trigger);
    if ('missing' in variables) return without({ code: 'BAD_USER_INPUT', path: [variables.missing] });
    const { limitedSeconds } = this.holds;
    if (limitedSeconds > 0) return this.wait(event, rateLimited(limitedSeconds));
    const outcome = await this.run(registered, variables.given, hirerId, stopping);
    if (outcome === undefined) return { kind: 'waiting', reason: 'cancelled', pauseMs: PAUSE_MS_MIN };
    return this.settle(event, hirerId, outcome);
  }

  /** The outcome of an attempt that took longer than there is room for. */
  late(event: TakenEvent): ObjectOutcome {
    const errors = [{ code: 'UPSTREAM_TIMEOUT' }] as const;
    return this.wait(event, { errors, retryAfterSeconds: undefined, isRateLimit: false });
  }

  /** True if the object of this event shows that the upstream answers again for the hirer; call {@link recovered} then. */
  isRecovery({ hirerId, sequence, sink }: TakenEvent, { kind }: ObjectOutcome): boolean {
    return kind === 'settled' && hirerId !== null && this.holds.succeed(sink, hirerId, sequence);
  }

  /** The hirer's events that waited for their objects are due. */
  recovered({ hirerId, sink }: TakenEvent): void {
    if (hirerId !== null) this.holds.recovered(sink, hirerId);
  }

  /** The outcome of the operation; undefined when the attempt was ended. */
  private async run(
    registered: RegisteredOperation,
    variables: Readonly<Record<string, unknown>>,
    hirerId: string,
    stopping: Cancellation,
  ): Promise<Outcome | undefined> {
    const context = this.contextFor(hirerId);
    const stop = (): void => context.cancellation.cancel();
    if (stopping.cancelled) stop();
    stopping.onCancel(stop);
    try {
      const [outcome] = await this.execution.run(
        [itemOf(registered, variables)],
        context,
        this.links.sealFor,
      );
      return outcome;
    } catch (error) {
      if (error instanceof BffError) return error;
      if (error instanceof ExchangeFault && error.kind === 'aborted') return undefined;
      this.log.error({ err: error, operation: registered.compiled.name }, 'the object of an event failed');
      return new BffError('internal_error', { cause: error });
    } finally {
      stopping.offCancel(stop);
    }
  }

  /** A machine at the hirer. Each hirer's deliveries count as those of a user of their own. */
  private contextFor(hirerId: string): RequestContext {
    const context = RequestContext.background();
    const userId = this.userIds.of(DELIVERIES, hirerId);
    const { roles, scopes } = this.gate.machineEntry;
    context.member = { hirerId, userId, roles, scopes, isMachine: true };
    return context;
  }

  private settle(event: TakenEvent, hirerId: string, outcome: Outcome): ObjectOutcome {
    const read = readObject(outcome, this.now());
    if (!('isRateLimit' in read)) {
      this.metrics.object(outcomeOf(read));
      return { kind: 'settled', operation: this.operationOf(event), ...read };
    }
    if (read.isRateLimit) this.holds.limit(read.retryAfterSeconds ?? 1);
    else this.holds.fail(event.sink, hirerId, event.sequence);
    return this.wait(event, read);
  }

  private operationOf({ type }: TakenEvent): string {
    return this.byType.get(type)!.registered.compiled.name;
  }

  private wait(event: TakenEvent, { errors, retryAfterSeconds = 0 }: PassingFailure): ObjectOutcome {
    const waitedMs = this.now() - event.receivedAt;
    const leftMs = this.patienceMs - waitedMs;
    if (leftMs <= 0) {
      this.metrics.object('given_up');
      return { kind: 'settled', operation: this.operationOf(event), object: undefined, errors };
    }
    this.metrics.object('waiting');
    const ownMs = Math.min(Math.max(waitedMs / 2, PAUSE_MS_MIN), PAUSE_MS_MAX);
    const pauseMs = Math.min(Math.max(ownMs, retryAfterSeconds * 1000), Math.max(leftMs, LAST_PAUSE_MS_MIN));
    return { kind: 'waiting', reason: errors[0].code, pauseMs };
  }
}

function without(...errors: ObjectError[]): ObjectOutcome {
  return { kind: 'settled', object: undefined, errors };
}

function rateLimited(seconds: number): PassingFailure {
  return { errors: [{ code: 'RATE_LIMITED' }], retryAfterSeconds: seconds, isRateLimit: true };
}

function outcomeOf({ object, errors }: DeliveredObject): 'whole' | 'partial' | 'null' | 'refused' {
  if (object === undefined) return 'refused';
  if (object === 'null') return 'null';
  return errors.length > 0 ? 'partial' : 'whole';
}

function itemOf(registered: RegisteredOperation, variables: Readonly<Record<string, unknown>>): Item {
  const { type, rootKeys } = registered.compiled;
  return operationOf({
    index: 0,
    bytes: Buffer.from(JSON.stringify({ variables })),
    type,
    rootKeys,
    registered,
  });
}

/** The variables of a call for the event, or the member that it lacks. */
function variablesOf(
  { payload }: TakenEvent,
  { variables }: EventTrigger,
): { readonly given: Readonly<Record<string, unknown>> } | { readonly missing: string } {
  const event = parseExact(payload);
  const given: Record<string, unknown> = {};
  for (const [variable, member] of variables) {
    const value = isObject(event) && Object.hasOwn(event, member) ? event[member] : undefined;
    if (value === undefined || value === null) return { missing: member };
    given[variable] = value;
  }
  return { given };
}
