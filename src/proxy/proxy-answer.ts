import { BffError } from '../errors/bff-error.js';
import { errorBody, type Outcome } from './transport/graphql-result.js';

/** What the caller is told. */
export interface ProxyAnswer {
  readonly status: number;
  readonly body: Buffer | string;
  readonly contentLanguage: string | undefined;
  readonly retryAfter: string | undefined;
  /** Rules of interface 4.3 that the request breaks. */
  readonly warnings: readonly string[];
  /** Whether a cache of ours may stand behind it. */
  readonly varies: boolean;
}

type BareAnswer = Omit<ProxyAnswer, 'warnings' | 'varies'>;

/** The answer to a single request: status and bytes of the upstream. */
export function toAnswer(outcome: Outcome, requestId: string): BareAnswer {
  if (outcome instanceof BffError) return joinAnswers([outcome], requestId);
  const { status, body, contentLanguage, retryAfter } = outcome;
  return { status, body, contentLanguage, retryAfter };
}

/** The answer to an array: every item in its place, whatever became of it. */
export function joinAnswers(outcomes: readonly Outcome[], requestId: string): BareAnswer {
  const parts: Buffer[] = [];
  for (const outcome of outcomes) {
    const body = outcome instanceof BffError ? errorBody(outcome, requestId) : outcome.body;
    parts.push(Buffer.from(parts.length === 0 ? '[' : ','), Buffer.isBuffer(body) ? body : Buffer.from(body));
  }
  const languages = outcomes.map((one) => (one instanceof BffError ? undefined : one.contentLanguage));
  const known = [...new Set(languages.filter((language) => language !== undefined))];
  return {
    status: 200,
    body: Buffer.concat([...parts, Buffer.from(']')]),
    contentLanguage: known.length > 0 ? known.join(', ') : undefined,
    retryAfter: longestWait(outcomes),
  };
}

function longestWait(outcomes: readonly Outcome[]): string | undefined {
  const waits = outcomes.map((one) =>
    one instanceof BffError ? (one.retryAfterSeconds ?? 0) : Number(one.retryAfter ?? 0),
  );
  const longest = Math.max(...waits.filter((wait) => Number.isFinite(wait)));
  return longest > 0 ? String(longest) : undefined;
}
