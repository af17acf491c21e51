/**
 * Apollo Client 4 for the service and the upstream.
 * @packageDocumentation
 */
import { ApolloLink, type ApolloClient, InMemoryCache, Observable } from '@apollo/client';
import { DocumentTransform } from '@apollo/client/utilities';
import {
  Kind,
  print,
  visit,
  OperationTypeNode,
  type DirectiveNode,
  type DocumentNode,
  type SelectionSetNode,
} from 'graphql';
import type { Bff } from './bff.js';
import {
  batch,
  execute,
  failureOf,
  type GraphqlResult,
  type Operation,
  type SendOptions,
} from './graphql.js';

/** What a query's `context.bff` may say, such as `{ documentId: 'PositionOpenings' }`. */
export interface ApolloBffContext extends Pick<SendOptions, 'hirerId' | 'scope' | 'via'> {
  /** Sends the name or hash of a registered operation instead of the text, which then only says what is read. */
  readonly documentId?: string;
}

/** How the link sends. */
export interface BffLinkOptions extends Pick<SendOptions, 'scope' | 'via'> {
  /** Collects the operations of one turn of the event loop into arrays of at most this many; 1 sends each alone. */
  readonly batchMax?: number;
}

const DIRECTIVE = 'bff';

/**
 * The options of an `ApolloClient` that keeps hirers and languages apart:
 * `new ApolloClient(apolloOptions(bff))`. Objects are not normalised, since the identifiers of the interface do not suit
 * it (4.5): each answer is kept under its own root field.
 */
export function apolloOptions(bff: Bff, options: BffLinkOptions = {}) {
  return {
    link: new BffLink(bff, options),
    cache: new InMemoryCache({ dataIdFromObject: () => undefined }),
    documentTransform: keyedByHirerAndLanguage(bff),
  };
}

/**
 * Keeps an `ApolloClient` in step: a change of hirer or language loads what is on view again, and sign-out empties the
 * cache.
 * @returns a function that ends this
 */
export function followBff(bff: Bff, client: ApolloClient): () => void {
  return bff.onChange(() => {
    const work = bff.signal.aborted ? client.clearStore() : client.refetchQueries({ include: 'active' });
    Promise.resolve(work).catch(() => undefined); // each query reports its own error
  });
}

/**
 * Adds hirer and language to each root field of a query, as a directive that becomes part of the cache's key and that
 * {@link BffLink} takes out again. They are those of the moment at which a query starts, so that a late answer lands where
 * it belongs.
 */
export function keyedByHirerAndLanguage(bff: Bff): DocumentTransform {
  const transform = (document: DocumentNode): DocumentNode => {
    const directive = directiveOf(bff);
    return visit(document, {
      OperationDefinition: (node) =>
        node.operation === OperationTypeNode.QUERY
          ? { ...node, selectionSet: mark(node.selectionSet, directive) }
          : undefined,
      FragmentDefinition: (node) =>
        node.typeCondition.name.value === 'Query'
          ? { ...node, selectionSet: mark(node.selectionSet, directive) }
          : undefined,
    });
  };
  return new DocumentTransform(transform, { cache: false });
}

/** The terminating link: tokens, renewal, headers, rules and errors are those of {@link Bff}. */
export class BffLink extends ApolloLink {
  private waiting: Waiting[] = [];

  constructor(
    private readonly bff: Bff,
    private readonly options: BffLinkOptions = {},
  ) {
    super();
  }

  override request(operation: ApolloLink.Operation): Observable<ApolloLink.Result> {
    return new Observable<ApolloLink.Result>((observer) => {
      const controller = new AbortController();
      const sent = readOperation(operation);
      const session = this.bff.session;
      const send: SendOptions = { ...this.options, ...sent.options, session, signal: controller.signal };
      this.send(sent.operation, send).then(
        (result) => {
          const failure = failureOf(result);
          if (failure) return observer.error(failure);
          observer.next(toApollo(result));
          observer.complete();
        },
        (error: unknown) => observer.error(error),
      );
      return () => controller.abort();
    });
  }

  private send(operation: Operation, options: SendOptions): Promise<GraphqlResult> {
    if ((this.options.batchMax ?? 1) < 2) return execute(this.bff, operation, options);
    const answer = Promise.withResolvers<GraphqlResult>();
    this.waiting.push({ operation, options, ...answer });
    if (this.waiting.length === 1) setTimeout(() => this.flush());
    return answer.promise;
  }

  /** Only what is for the same place, hirer and language goes together. */
  private flush(): void {
    const groups = Map.groupBy(this.waiting, ({ options, operation }) =>
      JSON.stringify([{ ...options, session: undefined }, operation.documentId !== undefined]),
    );
    this.waiting = [];
    for (const group of groups.values()) this.sendGroup(group);
  }

  private sendGroup(group: readonly Waiting[]): void {
    // One that is no longer wanted does not take the others along.
    const options = { ...group[0]!.options, signal: undefined, limit: this.options.batchMax! };
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

interface Waiting extends PromiseWithResolvers<GraphqlResult> {
  readonly operation: Operation;
  readonly options: SendOptions;
}

function directiveOf({ hirerId = '', language = '' }: Bff): DirectiveNode {
  const values = Object.entries({ hirerId, language });
  return {
    kind: Kind.DIRECTIVE,
    name: { kind: Kind.NAME, value: DIRECTIVE },
    arguments: values.map(([name, value]) => ({
      kind: Kind.ARGUMENT,
      name: { kind: Kind.NAME, value: name },
      value: { kind: Kind.STRING, value },
    })),
  };
}

/** Adds the directive to each field of a root selection, those of inline fragments included. */
function mark(set: SelectionSetNode, directive: DirectiveNode): SelectionSetNode {
  const selections = set.selections.map((node) => {
    if (node.kind === Kind.FIELD) return { ...node, directives: [...(node.directives ?? []), directive] };
    return node.kind === Kind.INLINE_FRAGMENT
      ? { ...node, selectionSet: mark(node.selectionSet, directive) }
      : node;
  });
  return { ...set, selections };
}

/** The operation as it is sent, and in which language it was keyed. */
function readOperation({ query, variables, operationName, getContext }: ApolloLink.Operation) {
  const { documentId, ...context } = (getContext()['bff'] ?? {}) as ApolloBffContext;
  let language: string | undefined;
  const document = visit(query, {
    Directive: ({ name, arguments: values }) => {
      if (name.value !== DIRECTIVE) return undefined;
      const value = values?.find((argument) => argument.name.value === 'language')?.value;
      if (value?.kind === Kind.STRING && value.value !== '') language = value.value;
      return null;
    },
  });
  const operation: Operation =
    documentId === undefined
      ? { query: print(document), operationName, variables }
      : { documentId, variables };
  return { operation, options: { ...context, language } };
}

function toApollo({ data, errors, extensions }: GraphqlResult): ApolloLink.Result {
  return {
    data,
    ...(errors.length > 0 && { errors }),
    ...(extensions && { extensions }),
  } as ApolloLink.Result;
}
