import supertest from 'supertest';
import { askToken } from '../support/ask-token.js';
import type { Stack } from '../support/start-stack.js';

const SCOPE = 'query:organizations';

/** Sends an operation as a demo user, one after another. */
export async function askGraphql(
  { url, playground }: Stack,
  user: string,
  times: number,
  query = 'query q { self { hirer { name } } }',
): Promise<void> {
  const { hirerId } = playground.demo.hirers[1]!; // both users belong to it
  const headers = { authorization: `Bearer ${await playground.signIn(user)}`, 'x-hirer-id': hirerId };
  for (let n = 0; n < times; n += 1) await supertest(url).post('/graphql').set(headers).send({ query });
}

/** Asks for a browser token as a demo user; another scope is another token. */
export async function askForToken({ url, playground }: Stack, scope = SCOPE): Promise<number> {
  const { hirerId } = playground.demo.hirers[0]!;
  const { status } = await askToken({ url }, await playground.signIn('amelia'), { hirerId, scope });
  return status;
}
