import { BffError } from '../errors/bff-error.js';
import { readErrors, type Outcome } from '../operations/transport/graphql-result.js';
import type { Conditions } from '../telemetry/conditions/conditions.js';
import { RollingCounts } from '../telemetry/conditions/rolling-counts.js';
import { RATE_LIMITED, REFUSAL_CODES } from '../upstream/upstream-error.js';

const MINUTE_MS = 60_000;
const FAILED_MIN = 10;

/** Whole answers of the upstream whose `errors` are of its own, which no status tells: most of a minute are a failure. */
export class FailedAnswers {
  private readonly answers = new RollingCounts(MINUTE_MS);

  constructor(conditions: Conditions) {
    conditions.figure('upstream-failing', () => {
      const { all, bad } = this.answers.read();
      return bad >= FAILED_MIN && bad * 2 > all
        ? `${bad} of ${all} answers are errors of its own`
        : undefined;
    });
  }

  add(outcome: Outcome): void {
    if (!(outcome instanceof BffError)) this.answers.add(outcome.errors !== undefined && isOwn(outcome));
  }
}

/** True if one of the errors does not only refuse what was asked. */
function isOwn(result: Parameters<typeof readErrors>[0]): boolean {
  return readErrors(result).some(
    ({ code }) => code !== undefined && code !== RATE_LIMITED && !REFUSAL_CODES.has(code),
  );
}
