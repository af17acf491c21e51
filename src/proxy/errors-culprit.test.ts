import { errorsCulprit } from './errors-culprit.js';

const withCodes = (...codes: (string | undefined)[]): string =>
  JSON.stringify(codes.map((code) => ({ message: 'x', ...(code && { extensions: { code } }) })));

test.each([
  ['a refusal of what was asked', withCodes('BAD_USER_INPUT', 'FORBIDDEN'), 'caller'],
  ['a failure of the upstream', withCodes('INTERNAL_SERVER_ERROR'), 'upstream'],
  ['a limit of the upstream', withCodes('RATE_LIMITED'), 'upstream'],
  ['both', withCodes('BAD_USER_INPUT', 'INTERNAL_SERVER_ERROR'), 'upstream'],
  ['an error without a code', withCodes(undefined, 'FORBIDDEN'), undefined],
  ['no errors at all', undefined, undefined],
  ['errors that are no list', '7', undefined],
  ['more than is read', withCodes(...Array.from({ length: 2_000 }, () => 'FORBIDDEN')), undefined],
])('who is to blame for %s', (_, errors, culprit) => {
  expect(errorsCulprit({ errors: errors === undefined ? errors : Buffer.from(errors) })).toBe(culprit);
});
