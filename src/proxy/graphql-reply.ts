import type { FastifyReply } from 'fastify';
import { BffError } from '../errors/bff-error.js';
import { ERROR_CODES } from '../errors/error-codes.js';
import { problemHeaders } from '../errors/problem.js';
import { joinElements } from '../json/slices.js';
import { BREAKS_MAX } from '../operations/documents/document-walk.js';
import type { Item } from '../operations/operation.js';
import type { GraphqlResult, Outcome } from '../operations/transport/graphql-result.js';

/** One that is named with `q=0` is not wanted (RFC 9110 section 12.4.2). */
const NAMES_GRAPHQL =
  /(?:^|,)\s*application\/graphql-response\+json\s*(?!;[^,]*\bq=0(?:\.0*)?\s*(?:[,;]|$))(?:[,;]|$)/i;
/** Statuses whose answers always have `Retry-After`. */
const TEMPORARY: readonly number[] = [429, 503];
const WARNINGS_CHARACTERS_MAX = 2_000;

/** GraphQL over HTTP, "Accept": callers that do not know the newer type get the older, also for a wildcard. */
export function answerMediaType(accept = ''): string {
  return `application/${NAMES_GRAPHQL.test(accept) ? 'graphql-response+json' : 'json'}; charset=utf-8`;
}

/**
 * The body of the reply: each outcome in its place, or status and bytes of the upstream for a request that is no array.
 * Notes the outcomes, and the rules that were broken.
 */
export function writeReply(
  outcomes: readonly Outcome[],
  items: readonly Item[],
  isArray: boolean,
  reply: FastifyReply,
): Buffer | string {
  const { notes } = reply.request.context;
  notes.outcomes = outcomes.map(labelOf);
  const warnings = warningsOf(items, isArray);
  if (warnings !== '') {
    notes.warnings = warnings;
    reply.header('x-operation-warnings', warnings);
  }
  if (isArray) return writeOutcomes(outcomes, reply);
  const { status, body, contentLanguage, retryAfter } = outcomes[0] as GraphqlResult;
  writeHead(reply, status, contentLanguage, retryAfter);
  return body;
}

function writeOutcomes(outcomes: readonly Outcome[], reply: FastifyReply): Buffer {
  const answers = outcomes.filter((one): one is GraphqlResult => !(one instanceof BffError));
  const languages = new Set(answers.flatMap(({ contentLanguage }) => contentLanguage ?? []));
  writeHead(reply, 200, [...languages].join(', ') || undefined, longestWait(outcomes));
  return joinElements(
    outcomes.map((one) => Buffer.from(one instanceof BffError ? errorBody(one, reply.request.id) : one.body)),
  );
}

export function sendError(error: BffError, reply: FastifyReply): FastifyReply {
  const { request } = reply;
  request.context.fail(error);
  return reply
    .code(error.status)
    .headers(problemHeaders(error))
    .header('content-type', answerMediaType(request.headers.accept))
    .send(errorBody(error, request.id));
}

/** A failure of ours in the shape of a GraphQL answer (docs/errors.md). */
function errorBody(error: BffError, requestId: string): string {
  const extensions = { code: ERROR_CODES[error.code].graphqlCode, reason: error.code, requestId };
  return JSON.stringify({ errors: [{ message: error.detail, extensions }] });
}

function writeHead(
  reply: FastifyReply,
  status: number,
  contentLanguage: string | undefined,
  retryAfter = TEMPORARY.includes(status) ? 1 : undefined,
): void {
  reply.code(status).header('content-type', answerMediaType(reply.request.headers.accept));
  if (contentLanguage !== undefined) reply.header('content-language', contentLanguage);
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
}

function longestWait(outcomes: readonly Outcome[]): number | undefined {
  const waits = outcomes.map(
    (one) => (one instanceof BffError ? one.retryAfterSeconds : one.retryAfter) ?? 0,
  );
  return Math.max(...waits) || undefined;
}

function labelOf(outcome: Outcome): string {
  if (outcome instanceof BffError) return outcome.code;
  return outcome.errors ? 'errors' : 'ok';
}

/** The first rules of interface 4.3 that a body breaks, as many as one operation may; empty if there are none. */
function warningsOf(items: readonly Item[], isArray: boolean): string {
  const warnings = items.flatMap((item, index) => {
    const broken = item instanceof BffError ? [] : item.warnings;
    return isArray ? broken.map((warning) => `[${index}] ${warning}`) : broken;
  });
  const text = warnings.slice(0, BREAKS_MAX).join(' | ').slice(0, WARNINGS_CHARACTERS_MAX);
  // names in variables are the caller's: a character that a header cannot hold becomes a question mark
  return text.replaceAll(/[^\x20-\x7e]/g, '?');
}
