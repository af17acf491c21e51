import { setImmediate as nextTurn } from 'node:timers/promises';
import type { KeySource } from '../../src/auth/keys/key-source.js';
import type { BffError } from '../../src/errors/bff-error.js';
import { anAuthenticator, staticKeys } from '../support/parts.js';
import { signToken } from '../support/sign-token.js';
import { bearer } from './bearer.js';

const NOW_SECONDS = 1_800_000_000;
const SECRET = 'a secret of thirty-two bytes or more';
const PREVIOUS = 'the previous secret of thirty-two bytes';
const UNKNOWN = 'a secret that the service does not know';

function tokenOf(sub: string, secret: string, exp = NOW_SECONDS + 60): string {
  return signToken({ alg: 'HS256' }, { iss: 'https://idp.test', aud: 'partner-bff', sub, exp }, secret);
}

function setUp(keys: KeySource) {
  const authenticator = anAuthenticator(keys, () => NOW_SECONDS * 1000);
  return async (token: string): Promise<string> => (await authenticator.authenticate(bearer(token))).subject;
}

test('during a rotation a token is accepted whichever key signed it, and refused when none did', async () => {
  const subjectOf = setUp(staticKeys({ END_USER_SECRET: [SECRET, PREVIOUS, 'x'.repeat(32)] }));
  expect(await subjectOf(tokenOf('ada', SECRET))).toBe('ada');
  expect(await subjectOf(tokenOf('bob', PREVIOUS))).toBe('bob');
  await expect(subjectOf(tokenOf('eve', UNKNOWN))).rejects.toMatchObject({ message: 'wrong_signature' });
});

test('with several keys, a refusal tells what is wrong with a token that one of them signed', async () => {
  const subjectOf = setUp(staticKeys({ END_USER_SECRET: [SECRET, PREVIOUS] }));
  for (const secret of [SECRET, PREVIOUS]) {
    const expired = tokenOf('ada', secret, NOW_SECONDS - 60);
    await expect(subjectOf(expired)).rejects.toMatchObject({ message: 'expired' });
  }
});

test('tokens that are verified at the same time keep their own users, and the forged ones are refused', async () => {
  const fixed = staticKeys({ END_USER_SECRET: [PREVIOUS, SECRET] });
  let lookups = 0;
  const slow: KeySource = Object.create(fixed, {
    find: {
      value: async function* (hint: Parameters<KeySource['find']>[0]) {
        lookups += 1;
        for (let turns = 100 - lookups; turns > 0; turns -= 1) await nextTurn(); // the last to ask is served first
        yield* fixed.find(hint);
      },
    },
  });
  const subjectOf = setUp(slow);
  const verdicts = Array.from({ length: 100 }, (_, index) =>
    subjectOf(tokenOf(`user-${index}`, index % 3 === 0 ? UNKNOWN : SECRET)).catch(
      (error: BffError) => error.message,
    ),
  );
  expect(await Promise.all(verdicts)).toEqual(
    verdicts.map((_, index) => (index % 3 === 0 ? 'wrong_signature' : `user-${index}`)),
  );
});
