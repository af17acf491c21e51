import { anEndUser } from '../../../test/support/an-end-user.js';
import { StoreError } from '../../errors/store-error.js';
import { Metrics } from '../../telemetry/metrics.js';
import { ALLOW_MS, CachedHirerAccess, DENIALS_MAX, DENY_MS } from './cached-hirer-access.js';
import type { ChangedUser, MembershipSource, SourceAnswer } from './membership-source.js';

const ada = anEndUser('ada');
const HIRER = 'seek:org:acme';

/** A source whose answers the test gives one by one. */
class ManualSource implements MembershipSource {
  readonly questions: PromiseWithResolvers<SourceAnswer>[] = [];
  live = true;
  change: (user?: ChangedUser) => void = () => undefined;

  read(): Promise<SourceAnswer> {
    const question = Promise.withResolvers<SourceAnswer>();
    this.questions.push(question);
    return question.promise;
  }

  watch(onChange: (user?: ChangedUser) => void) {
    this.change = onChange;
    return { isLive: () => this.live };
  }

  answer(...hirerIds: string[]): void {
    this.questions
      .at(-1)!
      .resolve({ memberships: hirerIds.map((hirerId) => ({ hirerId, roles: ['member'] })) });
  }
}

test('a wall clock that is set back an hour does not make a membership last', async () => {
  const source = new ManualSource();
  const access = new CachedHirerAccess(source, new Metrics());
  const first = access.find(ada, HIRER);
  source.answer(HIRER);
  expect(await first).toBeDefined();
  const [wallMs, steadyMs] = [Date.now(), performance.now()];
  jest.spyOn(Date, 'now').mockImplementation(() => wallMs - 3_600_000);
  jest.spyOn(performance, 'now').mockImplementation(() => steadyMs + ALLOW_MS);
  const second = access.find(ada, HIRER);
  jest.restoreAllMocks();
  expect(source.questions).toHaveLength(2);
  source.answer();
  expect(await second).toBeUndefined();
});

const setUp = () => {
  const clock = { ms: 0 };
  const source = new ManualSource();
  return { clock, source, access: new CachedHirerAccess(source, new Metrics(), () => clock.ms) };
};

test.each([
  ['a membership', [HIRER], ALLOW_MS],
  ['its absence', [], DENY_MS],
])('%s is reused for its time and no longer', async (_title, hirerIds, ms) => {
  const { source, access, clock } = setUp();
  const first = access.find(ada, HIRER);
  source.answer(...hirerIds);
  const known = await first;
  clock.ms += ms - 1;
  expect(access.find(ada, HIRER)).toBe(known);
  clock.ms += 1;
  expect(access.find(ada, HIRER)).toBeInstanceOf(Promise);
});

test('concurrent questions are asked once', async () => {
  const { source, access } = setUp();
  const all = Promise.all(Array.from({ length: 1_000 }, async () => access.find(ada, HIRER)));
  source.answer(HIRER);
  expect(new Set(await all).size).toBe(1);
  expect(source.questions).toHaveLength(1);
});

test('a failure reaches every caller, is not cached, and never admits anyone', async () => {
  const { source, access } = setUp();
  const asked = [access.find(ada, HIRER), access.find(ada, HIRER)].map(async (answer) => answer);
  const fault = new StoreError('database', 'down');
  source.questions[0]!.reject(fault);
  for (const one of asked) await expect(one).rejects.toBe(fault);
  const again = access.find(ada, HIRER);
  source.answer(HIRER);
  await expect(again).resolves.toBeDefined();
});

test('after a change the very next question goes to the source', async () => {
  const { source, access } = setUp();
  const first = access.find(ada, HIRER);
  source.answer(HIRER);
  await first;
  source.change();
  const next = access.find(ada, HIRER);
  source.answer();
  await expect(next).resolves.toBeUndefined();
});

test.each([
  ['a change', undefined],
  ['a change for the user', { issuer: ada.issuer, subject: ada.subject }],
])('an answer that was under way when %s came is neither cached nor shared', async (_what, changed) => {
  const { source, access } = setUp();
  const before = access.find(ada, HIRER);
  source.change(changed);
  const after = access.find(ada, HIRER);
  expect(source.questions).toHaveLength(2);
  source.answer();
  await expect(after).resolves.toBeUndefined();
  source.questions[0]!.resolve({ memberships: [{ hirerId: HIRER, roles: ['member'] }] });
  await before;
  expect(access.find(ada, HIRER)).toBeUndefined();
});

test.each([
  ['ada', 'bob'],
  ['bob', 'ada'],
])('a change for %s outdates nothing of %s', async (changed, other) => {
  const { source, access } = setUp();
  const users = [anEndUser(changed), anEndUser(other)] as const;
  for (const user of users) {
    const [one, all] = [access.find(user, HIRER), access.list(user)];
    for (const question of source.questions.slice(-2)) {
      question.resolve({ memberships: [{ hirerId: HIRER, roles: ['member'] }] });
    }
    await Promise.all([one, all]);
  }
  const asked = source.questions.length;
  source.change({ issuer: users[0].issuer, subject: changed });
  expect([access.find(users[1], HIRER), access.list(users[1])]).not.toContainEqual(expect.any(Promise));
  expect(source.questions).toHaveLength(asked);
  const [one, all] = [access.find(users[0], HIRER), access.list(users[0])];
  expect([one, all]).toEqual([expect.any(Promise), expect.any(Promise)]);
  for (const question of source.questions.slice(-2)) question.resolve({ memberships: [] });
  expect([await one, await all]).toEqual([undefined, []]);
});

test('a change for a user of one issuer outdates that user, not the same subject of another', async () => {
  const { source, access } = setUp();
  const stranger = { ...ada, issuer: 'https://another.example', userId: 'another pseudonym' };
  for (const user of [ada, stranger]) {
    const asked = access.find(user, HIRER);
    source.answer(HIRER);
    await asked;
  }
  source.change({ issuer: stranger.issuer, subject: stranger.subject });
  expect(access.find(ada, HIRER)).not.toBeInstanceOf(Promise);
  expect(access.find(stranger, HIRER)).toBeInstanceOf(Promise);
});

test('nothing is cached or shared while changes cannot be received', async () => {
  const { source, access } = setUp();
  source.live = false;
  const asked = [access.find(ada, HIRER), access.find(ada, HIRER)].map(async (answer) => answer);
  expect(source.questions).toHaveLength(2);
  for (const question of source.questions) question.resolve({ memberships: [] });
  await Promise.all(asked);
  source.live = true;
  expect(access.find(ada, HIRER)).toBeInstanceOf(Promise);
});

test('the list is never mistaken for one hirer, nor one user for another', async () => {
  const { source, access } = setUp();
  const list = access.list(ada);
  source.answer(HIRER, 'seek:org:bolt');
  await expect(list).resolves.toHaveLength(2);
  expect(access.find(ada, '')).toBeInstanceOf(Promise);
  expect(access.find(ada, HIRER)).toBeInstanceOf(Promise);
  expect(access.list(anEndUser('bob'))).toBeInstanceOf(Promise);
});

test('an answer about a hirer other than the requested one admits nobody', async () => {
  const { source, access } = setUp();
  const asked = access.find(ada, HIRER);
  source.answer('seek:org:bolt');
  await expect(asked).resolves.toBeUndefined();
});

test('the memory of the cache is bounded', async () => {
  const { source, access } = setUp();
  const hirers = Array.from({ length: 1_000 }, (_, index) => `seek:org:${'x'.repeat(200)}${index}`);
  for (let user = 0; user < 300; user += 1) {
    const answer = access.list(anEndUser(`user-${user}`));
    source.answer(...hirers);
    await answer;
  }
  expect(access.size).toBeGreaterThan(10);
  expect(access.size * hirers.length * 2 * hirers[0]!.length).toBeLessThan(33_554_432);
});

describe('a user who probes many hirers', () => {
  /** A source that answers at once and counts. */
  const setUpMember = () => {
    const clock = { ms: 1 };
    const asked: (string | undefined)[] = [];
    const mine = { hirerId: HIRER, roles: ['member'] };
    const source: MembershipSource = {
      read: async (_user, hirerId) => {
        asked.push(hirerId);
        return { memberships: hirerId === undefined || hirerId === HIRER ? [mine] : [] };
      },
    };
    return { clock, asked, mine, access: new CachedHirerAccess(source, new Metrics(), () => clock.ms) };
  };

  test('costs the source a few questions in five seconds, and is still denied', async () => {
    const { asked, access, clock } = setUpMember();
    for (let attempt = 0; attempt < 1_000; attempt += 1) {
      expect(await access.find(ada, `seek:org:${attempt}`)).toBeUndefined();
    }
    expect(asked).toHaveLength(DENIALS_MAX + 1);
    clock.ms += DENY_MS + 1;
    expect(await access.find(ada, 'seek:org:later')).toBeUndefined();
    expect(asked.at(-1)).toBe('seek:org:later');
  });

  test('costs no more when all are tried at once', async () => {
    const { asked, access } = setUpMember();
    const tried = Array.from({ length: 1_000 }, async (_, attempt) =>
      access.find(ada, `seek:org:${attempt}`),
    );
    expect(new Set(await Promise.all(tried))).toEqual(new Set([undefined]));
    expect(asked).toHaveLength(DENIALS_MAX + 1);
  });

  test('is still admitted where the user belongs, and no other user is affected', async () => {
    const { asked, mine, access } = setUpMember();
    for (let attempt = 0; attempt < DENIALS_MAX; attempt += 1) await access.find(ada, `seek:org:${attempt}`);
    expect(await access.find(ada, HIRER)).toEqual(mine);
    await access.find(anEndUser('grace'), 'seek:org:0');
    expect(asked.at(-1)).toBe('seek:org:0');
  });
});

test.each(['*', '', ' ', 'list', 'ada', `${HIRER} *`])(
  'a hirer id of the caller is never a key of something else: %j',
  async (hirerId) => {
    const { source, access } = setUp();
    const odd = access.find(ada, hirerId);
    source.answer();
    expect(await odd).toBeUndefined();
    for (let denials = 1; denials < DENIALS_MAX; denials += 1) {
      const denied = access.find(ada, `seek:org:${denials}`);
      source.answer();
      await denied;
    }
    const own = access.find(ada, HIRER);
    source.answer(HIRER); // the list, or the single question
    await new Promise(setImmediate);
    source.answer(HIRER);
    expect(await own).toMatchObject({ hirerId: HIRER });
    const listed = access.list(ada);
    source.answer(HIRER);
    expect(await listed).toHaveLength(1);
  },
);
