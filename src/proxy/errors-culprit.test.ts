import { errorsCulprit } from './errors-culprit.js';

const answer = (...codes: (string | undefined)[]): string =>
  JSON.stringify({
    data: null,
    errors: codes.map((code) => ({ message: 'x', ...(code && { extensions: { code } }) })),
  });

test.each([
  ['a refusal of what was asked', answer('BAD_USER_INPUT', 'FORBIDDEN'), 'caller'],
  ['a failure of the upstream', answer('INTERNAL_SERVER_ERROR'), 'upstream'],
  ['a limit of the upstream', answer('RATE_LIMITED'), 'upstream'],
  ['both', answer('BAD_USER_INPUT', 'INTERNAL_SERVER_ERROR'), 'upstream'],
  ['an error without a code', answer(undefined, 'FORBIDDEN'), undefined],
  ['no errors at all', '{"data":{}}', undefined],
  ['errors that are no list', '{"errors":7}', undefined],
  ['more than is read', answer(...Array.from({ length: 2_000 }, () => 'FORBIDDEN')), undefined],
])('who is to blame for %s', (_, body, culprit) => {
  expect(errorsCulprit(Buffer.from(body))).toBe(culprit);
  expect(errorsCulprit(body)).toBe(culprit);
});
