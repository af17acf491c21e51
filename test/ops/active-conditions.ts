import supertest from 'supertest';
import type { ConditionName } from '../../src/telemetry/conditions/condition-table.js';
import { Conditions, type ConditionView } from '../../src/telemetry/conditions/conditions.js';
import { type Stack, askToken } from '../support/start-stack.js';
import { until } from '../support/until.js';

/** What is wrong now; figures are looked at first rather than within ten seconds. */
export async function active({ opsUrl, service }: Stack): Promise<ConditionView[]> {
  await service.app.get(Conditions).look();
  const { body } = await supertest(opsUrl).get('/conditions');
  return (body.items as ConditionView[]).filter((view) => view.active);
}

/** Waits until these are wrong, and nothing else is. */
export async function only(stack: Stack, ...names: readonly ConditionName[]): Promise<void> {
  let found: string[] = [];
  const isSo = async (): Promise<boolean> => {
    found = (await active(stack)).map(({ name }) => name).sort();
    return found.join() === [...names].sort().join();
  };
  await until(isSo, 20_000).catch(() => expect(found).toEqual([...names].sort()));
}

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
