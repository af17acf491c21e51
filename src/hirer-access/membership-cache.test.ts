import { allScopes, anEndUser, membershipAt } from '../../test/support/parts.js';
import { StoreError } from '../errors/store-error.js';
import { LIST_MS, MembershipCache } from './membership-cache.js';
import type { MembershipSource, SourceAnswer, SourceUser } from './hirer-access.port.js';

const ada = anEndUser('ada');
const bob = anEndUser('bob');
const HIRER = 'seek:org:acme';
const at = (hirerId: string) => ({ hirerId, roles: ['member'] });

/** A source whose answers the test gives one by one. */
class ManualSource implements MembershipSource {
  readonly questions: PromiseWithResolvers<SourceAnswer>[] = [];
  isLive = true;
  change: (user?: SourceUser) => void = () => undefined;

  read(): Promise<SourceAnswer> {
    const question = Promise.withResolvers<SourceAnswer>();
    this.questions.push(question);
    return question.promise;
  }

  watch(onChange: (user?: SourceUser) => void) {
    this.change = onChange;
    return this;
  }

  answer(...hirerIds: string[]): void {
    this.questions.at(-1)!.resolve({ memberships: hirerIds.map(at) });
  }
}

const setUp = () => {
  const clock = { ms: 1 };
  const source = new ManualSource();
  const access = new MembershipCache(source, allScopes, () => clock.ms);
  const learn = async (user: SourceUser, ...hirerIds: string[]): Promise<void> => {
    const asked = access.list(anEndUser(user.subject, {}, user.issuer));
    source.answer(...hirerIds);
    await asked;
  };
  return { clock, source, access, learn };
};

test('a wall clock that is set back an hour does not make a membership last', async () => {
  const source = new ManualSource();
  const access = new MembershipCache(source, allScopes);
  const first = membershipAt(access, ada, HIRER);
  source.answer(HIRER);
  expect(await first).toBeDefined();
  const [wallMs, steadyMs] = [Date.now(), performance.now()];
  jest.spyOn(Date, 'now').mockImplementation(() => wallMs - 3_600_000);
  jest.spyOn(performance, 'now').mockImplementation(() => steadyMs + LIST_MS + 1);
  const second = membershipAt(access, ada, HIRER);
  jest.restoreAllMocks();
  source.answer();
  expect(await second).toBeUndefined();
});

test.each([
  ['a membership', [HIRER]],
  ['its absence', []],
])('%s is reused for its time and no longer', async (_title, hirerIds) => {
  const { source, access, clock } = setUp();
  const first = membershipAt(access, ada, HIRER);
  source.answer(...hirerIds);
  const known = await first;
  clock.ms += LIST_MS;
  expect(membershipAt(access, ada, HIRER)).toBe(known);
  clock.ms += 1;
  expect(membershipAt(access, ada, HIRER)).toBeInstanceOf(Promise);
});

test('concurrent questions are asked once, a thousand guesses included', async () => {
  const { source, access } = setUp();
  const all = Promise.all(
    Array.from({ length: 1_000 }, async (_, n) => membershipAt(access, ada, `seek:org:${n}`)),
  );
  const own = membershipAt(access, ada, HIRER);
  source.answer(HIRER);
  expect(new Set(await all)).toEqual(new Set([undefined]));
  expect(await own).toMatchObject(at(HIRER));
  expect(membershipAt(access, ada, 'seek:org:other')).toBeUndefined();
  expect(source.questions).toHaveLength(1);
});

test('a failure reaches every caller, is not cached, and never admits anyone', async () => {
  const { source, access } = setUp();
  const asked = [membershipAt(access, ada, HIRER), membershipAt(access, ada, HIRER)].map(
    async (answer) => answer,
  );
  const fault = new StoreError('database', 'down');
  source.questions[0]!.reject(fault);
  for (const one of asked) await expect(one).rejects.toBe(fault);
  const again = membershipAt(access, ada, HIRER);
  source.answer(HIRER);
  await expect(again).resolves.toBeDefined();
});

test.each([
  ['a change', undefined],
  ['a change for the user', ada],
])(
  'after %s the next question goes to the source; an answer under way is neither kept nor shared',
  async (_what, changed) => {
    const { source, access, learn } = setUp();
    await learn(ada, HIRER);
    source.change(changed);
    const before = membershipAt(access, ada, HIRER);
    source.change(changed);
    const after = membershipAt(access, ada, HIRER);
    expect(source.questions).toHaveLength(3);
    source.answer();
    await expect(after).resolves.toBeUndefined();
    source.questions[1]!.resolve({ memberships: [at(HIRER)] });
    await before;
    expect(membershipAt(access, ada, HIRER)).toBeUndefined();
  },
);

test.each([
  ['another user', bob],
  ['the same subject of another issuer', anEndUser('ada', {}, 'https://another.example')],
])('what is known of a user is nothing to %s, nor outdated by a change of theirs', async (_who, other) => {
  const { access, source, learn } = setUp();
  await learn(ada, HIRER);
  await learn(other);
  expect(membershipAt(access, other, HIRER)).toBeUndefined();
  source.change(other);
  expect(membershipAt(access, ada, HIRER)).toMatchObject(at(HIRER));
  expect(membershipAt(access, other, HIRER)).toBeInstanceOf(Promise);
});

test('nothing is cached or shared while changes cannot be received', async () => {
  const { source, access, learn } = setUp();
  await learn(ada, HIRER);
  source.isLive = false;
  const asked = [membershipAt(access, ada, HIRER), membershipAt(access, ada, HIRER)].map(
    async (answer) => answer,
  );
  expect(source.questions).toHaveLength(3);
  for (const question of source.questions) question.resolve({ memberships: [] });
  expect(await Promise.all(asked)).toEqual([undefined, undefined]);
  source.change();
  source.isLive = true;
  expect(membershipAt(access, ada, HIRER)).toBeInstanceOf(Promise);
});

test('the memory of the cache is bounded', async () => {
  const { access, learn } = setUp();
  const hirers = Array.from({ length: 1_000 }, (_, index) => `seek:org:${'x'.repeat(200)}${index}`);
  for (let user = 0; user < 300; user += 1) await learn(anEndUser(`user-${user}`), ...hirers);
  const isKnown = (user: number): boolean => !(access.list(anEndUser(`user-${user}`)) instanceof Promise);
  expect([isKnown(299), isKnown(290), isKnown(0)]).toEqual([true, true, false]);
});
