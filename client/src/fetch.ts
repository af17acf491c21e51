/**
 * `fetch` for GraphQL clients that take one.
 * @packageDocumentation
 */
import type { Bff } from './bff.js';
import { withoutUnused } from './document.js';
import { failureOf, sendAll, sendBatch, type Body, type GraphqlResult, type SendOptions } from './graphql.js';

/**
 * A `fetch` for GraphQL clients, of the session that is current now: it sends what they would send, by GET or POST,
 * through {@link Bff}, with its tokens, renewal, headers and rules. Once the session has ended, every call ends with
 * `SESSION_ENDED`, and nothing is sent. The address that the client was given is not used, nor its headers but
 * `Accept-Language`, so that no token goes anywhere else. A registered operation is named by
 * `extensions.persistedQuery.sha256Hash` without a text, by `documentId`, or by a `query` that is its name.
 *
 * It rejects with `BffError` when there is no GraphQL answer, or none with data; partial data is answered beside its errors.
 * An array is sent as an array, and answered item by item, errors included.
 */
export function graphqlFetch(
  bff: Bff,
  { scope, via }: Pick<SendOptions, 'scope' | 'via'> = {},
): typeof fetch {
  const { session } = bff;
  return async (input, init) => {
    session.signal.throwIfAborted();
    const request = new Request(input instanceof Request ? input : new URL(input, bff.options.url), init);
    const body = await readBody(request);
    const language = request.headers.get('accept-language') ?? undefined;
    const send = { scope, via, language, session, signal: request.signal };
    const isArray = Array.isArray(body);
    if (isArray) return Response.json((await sendBatch(bff, body.map(sentOf), send)).map(answerOf));
    const [result] = (await sendAll(bff, [sentOf(body)], send)) as [GraphqlResult];
    const failure = failureOf(result);
    // that a hash is unknown is told as an answer, since the client then sends the text
    if (failure && failure.code !== 'PERSISTED_QUERY_NOT_FOUND') throw failure;
    return Response.json(answerOf(result));
  };
}

/** GraphQL over HTTP: the members are the body, or in the query of the address, in JSON where they are objects. */
async function readBody(request: Request): Promise<Body | Body[]> {
  if (request.method !== 'GET') return (await request.json()) as Body | Body[];
  const members = [...new URL(request.url).searchParams].map(([name, value]) => [
    name,
    name === 'variables' || name === 'extensions' ? (JSON.parse(value) as object) : value,
  ]);
  return Object.fromEntries(members) as Body;
}

/** A text has a brace somewhere, a name has none. The text of a persisted query stays that of its hash. */
function sentOf({ query, documentId, ...body }: Body): Body {
  const id = documentId ?? (query?.includes('{') ? undefined : query || undefined);
  if (id !== undefined) return { documentId: id, variables: body.variables, extensions: body.extensions };
  const isPersisted = body.extensions !== undefined && 'persistedQuery' in body.extensions;
  if (query === undefined || isPersisted) return { query, ...body };
  return { query: withoutUnused(query, body.variables ?? {}), ...body };
}

/** An item of an array that has no answer has the error as its own. */
function answerOf({ data, error, errors, extensions }: GraphqlResult): object {
  const { message, code, reason, requestId } = error ?? {};
  const told = errors.length > 0 ? errors : [{ message, extensions: { code, reason, requestId } }];
  return { data, ...(error && { errors: told }), ...(extensions && { extensions }) };
}
