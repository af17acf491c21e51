import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { UserBudget } from '../../concurrency/user-budget.js';
import { CONFIG, type Config } from '../../config/load-config.js';
import { BffError } from '../../errors/bff-error.js';
import { StoreError } from '../../errors/store-error.js';
import { toBffError } from '../../errors/to-bff-error.js';
import type { Cancellation } from '../../http/cancellation.js';
import type { Member } from '../../http/end-user.js';
import { ExchangeFault } from '../../http/outgoing/exchange.js';
import { EventOwners } from '../event-owners.js';
import { Interventions } from '../interventions.js';
import type { Operation } from '../operation.js';
import type { RegisteredOperation } from '../registered-operation.js';
import type { GraphqlResult, Outcome } from '../transport/graphql-result.js';

/** Makes the link that takes the place of an attachment's URL in an answer; any other text stays as it is. */
export type SealAttachment = (text: string, member: Member) => string;

/** After so many milliseconds of one request's answers, others have a turn of the event loop. */
const TURN_MS = 5;
/** Answers of full size that one user may have under way, and how many such users there may be. */
const ANSWERS_PER_USER = 16;
const USERS = 8;
/** Smaller answers are not counted: they cost less than a request does. */
const SMALL_BYTES = 16_384;
const RETRY_AFTER_SECONDS = 1;

/** Makes of the answers to registered operations what their member may see; those to free text stay as they are. */
@Injectable()
export class AnswerShaping {
  private readonly budget: UserBudget;

  constructor(
    @Inject(CONFIG) config: Pick<Config, 'REGISTERED_ANSWER_LIMIT_BYTES'>,
    private readonly interventions: Interventions,
    private readonly eventOwners: EventOwners,
  ) {
    const perUserMax = ANSWERS_PER_USER * config.REGISTERED_ANSWER_LIMIT_BYTES;
    this.budget = new UserBudget({
      perUserMax,
      totalMax: USERS * perUserMax,
      what: 'bytes of answers under way',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }

  /**
   * Replaces the outcomes. All answers of the request are counted until the last one is shaped, since they are in memory
   * until then; one that is too much is dropped, and the refusal stands in its place.
   * @throws ExchangeFault of kind `aborted` when the caller has disconnected
   */
  async shapeAll(
    operations: readonly Operation[],
    member: Member,
    cancellation: Cancellation,
    outcomes: Outcome[],
    seal: SealAttachment,
  ): Promise<void> {
    const registered = operations.filter((operation) => operation.registered);
    const releases: (() => void)[] = [];
    try {
      for (const { index } of registered) {
        const outcome = outcomes[index]!;
        if (outcome instanceof BffError) continue;
        const held = this.tryHold(member.userId, outcome);
        if (held instanceof BffError) outcomes[index] = held;
        else releases.push(held);
      }
      let turnAt = performance.now();
      for (const operation of registered) {
        if (performance.now() - turnAt > TURN_MS) {
          await nextTurn();
          turnAt = performance.now();
        }
        if (cancellation.cancelled) throw new ExchangeFault('aborted', true);
        const outcome = outcomes[operation.index]!;
        if (outcome instanceof BffError) continue;
        outcomes[operation.index] = await this.shape(operation, outcome, member, cancellation, seal);
      }
    } finally {
      for (const release of releases) release();
    }
  }

  /**
   * True if the answer of a guard proves that its object exists and belongs to the hirer. It counts as one under way.
   * @throws BffError as {@link hold}
   */
  async proves(guard: RegisteredOperation, answer: GraphqlResult, member: Member): Promise<boolean> {
    const release = this.hold(member.userId, answer);
    try {
      return await guard.answers.proves(answer, member.hirerId);
    } finally {
      release();
    }
  }

  /**
   * Counts an answer until the function that is returned is called.
   * @throws BffError `rate_limited` while the user has too much under way, `unavailable` while all together have
   */
  hold(user: string, { body }: GraphqlResult): () => void {
    const bytes = body.length > SMALL_BYTES ? body.length : 0;
    if (bytes > 0) this.budget.take(user, bytes);
    return () => this.budget.release(user, bytes);
  }

  private tryHold(user: string, answer: GraphqlResult): (() => void) | BffError {
    try {
      return this.hold(user, answer);
    } catch (error) {
      if (error instanceof BffError) return error;
      throw error;
    }
  }

  private async shape(
    { eventId, registered }: Operation,
    answer: GraphqlResult,
    member: Member,
    cancellation: Cancellation,
    seal: SealAttachment,
  ): Promise<Outcome> {
    const eventHirerId = eventId === undefined ? undefined : await this.hirerOfEvent(eventId);
    if (eventHirerId instanceof BffError) return eventHirerId;
    let removed = 0;
    const shaped = await registered!.answers.shape(answer, {
      hirerId: member.hirerId,
      eventHirerId,
      mapText: (text) => seal(text, member),
      onRemoved: () => (removed += 1),
      cancellation,
    });
    if (removed > 0) this.interventions.count('fields_removed', removed);
    const isRefused = shaped instanceof BffError && shaped.code === 'hirer_forbidden';
    if (isRefused) this.interventions.count('owner_refused');
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
