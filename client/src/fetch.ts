/**
 * `fetch` for GraphQL clients that take one.
 * @packageDocumentation
 */
import type { Bff } from './bff.js';
import {
  batch,
  execute,
  failureOf,
  type GraphqlResult,
  type Operation,
  type SendOptions,
} from './graphql.js';

/** The body that GraphQL clients send; `extensions` are not passed on. */
interface Body {
  readonly query?: string;
  readonly documentId?: string;
  readonly operationName?: string;
  readonly variables?: object;
}

/**
 * A `fetch` for GraphQL clients: it sends what they would send, through {@link Bff}, with its tokens, renewal, headers and
 * rules. The address that the client was given is not used, nor its headers but `Accept-Language`, so that no token goes
 * anywhere else. An array is sent as an array. A registered operation is named in `documentId`, or by a `query` that is
 * its name and no text.
 *
 * It rejects with `BffError` when there is no GraphQL answer, or none with data; partial data is answered beside its errors.
 */
export function graphqlFetch(bff: Bff, options: Omit<SendOptions, 'signal'> = {}): typeof fetch {
  return async (_input, init) => {
    const body = JSON.parse(init?.body as string) as Body | Body[];
    const language = new Headers(init?.headers).get('accept-language') ?? undefined;
    const send: SendOptions = { language, ...options, signal: init?.signal ?? undefined };
    const results = Array.isArray(body)
      ? await batch(bff, body.map(operationOf), send)
      : [await execute(bff, operationOf(body), send)];
    const answers = results.map(answerOf);
    return Response.json(Array.isArray(body) ? answers : answers[0]);
  };
}

/** A text has a brace somewhere, a name has none. */
function operationOf({ query = '', documentId, operationName, variables }: Body): Operation {
  const id = documentId ?? (query.includes('{') ? undefined : query);
  return id === undefined ? { query, operationName, variables } : { documentId: id, variables };
}

function answerOf(result: GraphqlResult): object {
  const failure = failureOf(result);
  if (failure) throw failure;
  const { data, error, errors, extensions } = result;
  return { data, ...(error && { errors }), ...(extensions && { extensions }) };
}
