import { ApolloLink, Observable } from '@apollo/client';
import { OperationTypeNode, print } from 'graphql';
import type { Bff, HirerSession } from './bff.js';
import { documentIdOf } from './document.js';
import {
  batch,
  execute,
  failureOf,
  type GraphqlResult,
  type Operation,
  type SendOptions,
} from './graphql.js';
import { anotherHirer, noSubscriptions } from './not-supported.js';

/** The contents of an operation's `context.bff`, such as `{ documentId: 'PositionOpenings' }`. */
export interface ApolloBffContext extends Pick<SendOptions, 'scope' | 'via'> {
  /** Asks for another hirer: its own client answers, with its own cache. For `query` and `mutate` only. */
  readonly hirerId?: string | undefined;
  /**
   * Sends the name or hash of a registered operation instead of the text, which then only says what is read. Generated
   * documents carry theirs.
   */
  readonly documentId?: string | undefined;
}

/** The hirer and session that the link sends for, and its options. */
interface LinkOptions extends SendOptions {
  readonly session: HirerSession;
  readonly batchMax: number;
}

interface Waiting {
  readonly operation: Operation;
  readonly options: SendOptions;
  readonly resolve: (result: GraphqlResult) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The terminating link, for one hirer in one session and language: tokens, renewal, headers, rules and errors are those
 * of {@link Bff}. When the session ends, every operation ends immediately, before any later answer.
 */
export class BffLink extends ApolloLink {
  private waiting: Waiting[] = [];

  constructor(
    private readonly bff: Bff,
    private readonly options: LinkOptions,
  ) {
    super();
  }

  override request(operation: ApolloLink.Operation): Observable<ApolloLink.Result> {
    return new Observable<ApolloLink.Result>((observer) => {
      const controller = new AbortController();
      const { signal } = this.options.session;
      const end = (): void => observer.error(signal.reason);
      if (signal.aborted) return end();
      signal.addEventListener('abort', end);
      this.send(operation, controller.signal).then(
        (result) => {
          observer.next(result);
          observer.complete();
        },
        (error: unknown) => observer.error(error),
      );
      return () => {
        signal.removeEventListener('abort', end);
        controller.abort();
      };
    });
  }

  private async send(sent: ApolloLink.Operation, signal: AbortSignal): Promise<ApolloLink.Result> {
    if (sent.operationType === OperationTypeNode.SUBSCRIPTION) throw noSubscriptions();
    const { options } = this;
    const context = (sent.getContext()['bff'] ?? {}) as ApolloBffContext;
    const { hirerId = options.hirerId, scope = options.scope, via = options.via } = context;
    if (hirerId !== options.hirerId) throw anotherHirer();
    const result = await this.sendOrWait(operationOf(sent, context), { ...options, scope, via, signal });
    const failure = failureOf(result);
    if (failure) throw failure;
    return toApollo(result);
  }

  private sendOrWait(operation: Operation, options: SendOptions): Promise<GraphqlResult> {
    if (this.options.batchMax < 2) return execute(this.bff, operation, options);
    return new Promise((resolve, reject) => {
      this.waiting.push({ operation, options, resolve, reject });
      if (this.waiting.length === 1) setTimeout(() => this.flush());
    });
  }

  /** Only operations for the same place are batched. */
  private flush(): void {
    const groups = new Map<string, Waiting[]>();
    for (const one of this.waiting) {
      const { scope, via } = one.options;
      const key = JSON.stringify([scope, via, one.operation.documentId !== undefined]);
      groups.set(key, [...(groups.get(key) ?? []), one]);
    }
    this.waiting = [];
    for (const group of groups.values()) this.sendGroup(group);
  }

  private sendGroup(group: readonly Waiting[]): void {
    // Aborting one operation does not fail the others.
    const options = { ...group[0]!.options, signal: undefined, limit: this.options.batchMax };
    batch(
      this.bff,
      group.map(({ operation }) => operation),
      options,
    ).then(
      (results) => group.forEach(({ resolve }, at) => resolve(results[at]!)),
      (error: unknown) => group.forEach(({ reject }) => reject(error)),
    );
  }
}

function operationOf(
  { query, variables, operationName }: ApolloLink.Operation,
  { documentId = documentIdOf(query) }: ApolloBffContext,
): Operation {
  return documentId === undefined
    ? { query: print(query), operationName, variables }
    : { documentId, variables };
}

function toApollo({ data, errors, extensions }: GraphqlResult): ApolloLink.Result {
  return {
    data,
    ...(errors.length > 0 && { errors }),
    ...(extensions && { extensions }),
  } as ApolloLink.Result;
}
