import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { UserBudget } from '../../concurrency/user-budget.js';
import { CONFIG, type Config } from '../../config/load-config.js';
import { BffError } from '../../errors/bff-error.js';
import { StoreError } from '../../errors/store-error.js';
import { toBffError } from '../../errors/to-bff-error.js';
import type { Member } from '../../http/end-user.js';
import { ExchangeFault } from '../../http/outgoing/exchange.js';
import type { RequestContext } from '../../http/request-context.js';
import { AttachmentLinks } from '../attachment-links.js';
import { Interventions } from '../interventions.js';
import type { Operation } from '../operation.js';
import type { RegisteredOperation } from '../registered-operation.js';
import type { GraphqlResult, Outcome } from '../transport/graphql-result.js';
import { EventOwners } from './ownership.js';

/** After so many milliseconds of one request's answers, others have a turn of the event loop. */
const TURN_MS = 5;
/** Answers of full size that one user may have under way, and how many such users there may be. */
const ANSWERS_PER_USER = 16;
const USERS = 8;
/** Smaller answers are not counted: they cost less than a request does. */
const SMALL_BYTES = 16_384;
const RETRY_AFTER_SECONDS = 1;

/** Makes of answers to registered operations what a member may see, and bounds those that are in memory meanwhile. */
@Injectable()
export class AnswerConfinement {
  private readonly underWay: UserBudget;

  constructor(
    private readonly eventOwners: EventOwners,
    private readonly links: AttachmentLinks,
    private readonly interventions: Interventions,
    @Inject(CONFIG) config: Pick<Config, 'REGISTERED_ANSWER_LIMIT_BYTES'>,
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
   * Makes of the answers to registered operations what the member may see. All of them are counted until the last one is
   * confined, since they are in memory until then; one that is too much is dropped, and its refusal stands in its place.
   * @throws ExchangeFault of kind `aborted` when the caller has disconnected
   */
  async confineAll(
    operations: readonly Operation[],
    context: RequestContext,
    outcomes: Outcome[],
  ): Promise<void> {
    const { userId } = context.member!;
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
        if (context.isCancelled) throw new ExchangeFault('aborted');
        outcomes[operation.index] = await this.confine(operation, answer, context);
      }
    } finally {
      this.underWay.release(userId, heldBytes);
    }
  }

  /** A store that fails to say whose an event is fails this operation alone. */
  private async confine(
    { eventId, registered }: Operation,
    answer: GraphqlResult,
    context: RequestContext,
  ): Promise<Outcome> {
    const member = context.member!;
    let removed = 0;
    try {
      const confined = await registered!.answers.shape(answer, {
        hirerId: member.hirerId,
        eventHirerId: eventId === undefined ? undefined : await this.eventOwners.hirerOf(eventId),
        mapText: (text) => this.links.replace(text, member),
        onRemoved: () => (removed += 1),
        cancellation: context.cancellation,
      });
      if (removed > 0) this.interventions.count('fields_removed', removed);
      const isRefused = confined instanceof BffError && confined.code === 'hirer_forbidden';
      if (isRefused) this.interventions.count('owner_refused');
      return confined;
    } catch (error) {
      if (error instanceof StoreError) return toBffError(error);
      throw error;
    }
  }

  /**
   * True if the answer of a guard proves that the object is of the member's hirer.
   * @throws BffError when too much is under way
   */
  async proves(
    registered: RegisteredOperation,
    answer: GraphqlResult,
    { userId, hirerId }: Member,
  ): Promise<boolean> {
    const heldBytes = bytesOf(answer);
    this.underWay.take(userId, heldBytes);
    try {
      const isProven = await registered.answers.proves(answer, hirerId);
      if (!isProven) this.interventions.count('owner_refused');
      return isProven;
    } finally {
      this.underWay.release(userId, heldBytes);
    }
  }
}

/** The bytes by which an answer counts as under way. */
function bytesOf({ body }: GraphqlResult): number {
  return body.length > SMALL_BYTES ? body.length : 0;
}
