import { Injectable } from '@nestjs/common';
import { BffError } from '../../errors/bff-error.js';
import type { RequestContext } from '../../http/request-context.js';
import { RequestLimit } from '../../token/rate-limits.js';
import { Interventions } from '../interventions.js';
import { operationOf, type Operation } from '../operation.js';
import { AnswerShaping } from '../answers/answer-shaping.js';
import type { Guard } from '../registered-operation.js';
import type { Outcome } from '../transport/graphql-result.js';
import type { MemberCredentials } from '../transport/credential.js';
import { OperationRunner } from '../transport/operation-runner.js';

/** Runs the queries that must prove ownership before an operation is sent; one without proof is refused. */
@Injectable()
export class OwnershipProofs {
  constructor(
    private readonly runner: OperationRunner,
    private readonly requestLimit: RequestLimit,
    private readonly shaping: AnswerShaping,
    private readonly interventions: Interventions,
  ) {}

  /** The operations that may be sent; the refusal of another stands in its place of `outcomes`. */
  async admit(
    operations: readonly Operation[],
    credentials: MemberCredentials,
    context: RequestContext,
    outcomes: Outcome[],
  ): Promise<readonly Operation[]> {
    const refusals = await Promise.all(
      operations.map(({ guards }) => this.refusalOf(guards, credentials, context)),
    );
    return operations.filter(({ index }, place) => {
      const refusal = refusals[place];
      if (refusal) outcomes[index] = refusal;
      return !refusal;
    });
  }

  private async refusalOf(
    guards: readonly Guard[],
    credentials: MemberCredentials,
    context: RequestContext,
  ): Promise<BffError | undefined> {
    const refused = await this.admitRepeats(guards, context);
    if (refused) return refused;
    const all = guards.map((guard) => this.prove(guard, credentials, context));
    return (await Promise.all(all)).find((refusal) => refusal !== undefined);
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
    return (await this.requestLimit.takeUpTo(member!, repeats)).refusal;
  }

  private async prove(
    { operation: registered, bytes }: Guard,
    credentials: MemberCredentials,
    context: RequestContext,
  ): Promise<BffError | undefined> {
    const { name, token, rootKeys } = registered.compiled;
    try {
      const credential = credentials.of(token);
      const query = operationOf({ index: 0, bytes, type: 'query', rootKeys, registered, credential });
      const [outcome] = await this.runner.run([query], context);
      if (outcome instanceof BffError) return outcome;
      if (await this.shaping.proves(registered, outcome!, context.member!)) return undefined;
    } catch (error) {
      if (error instanceof BffError) return error;
      throw error;
    }
    this.interventions.count('owner_refused');
    return new BffError('hirer_forbidden', { message: `${name} does not prove ownership` });
  }
}
