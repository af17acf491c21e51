import { ResponseCache } from './response-cache.js';
import type { Member } from '../../http/end-user.js';
import { RequestContext } from '../../http/request-context.js';
import { compileOperation } from '../compile/compile-operation.js';
import { callOf } from '../operation.js';
import { RegisteredOperation } from '../registered-operation.js';

const MB = 1_048_576;
const registerAs = (cache: string): RegisteredOperation =>
  new RegisteredOperation(
    compileOperation(`query Kept($id: String!) @cache(${cache}) { ok(id: $id) }`, 'kept.graphql'),
    () => {
      throw new Error('needs no guard');
    },
  );
const registered = registerAs('seconds: 60');
const member = { hirerId: 'seek:org:acme', userId: 'ada', roles: [], scopes: ['query:all'] };
const operationWith = (token: 'browser' | 'partner') =>
  callOf(registered, { bytes: Buffer.from('{}'), token });
const operation = operationWith('browser');
const calledBy = (change: Partial<Member> = {}): RequestContext =>
  Object.assign(new RequestContext('id', { 'accept-language': 'en' }), { member: { ...member, ...change } });

test.each(['browser', 'partner'] as const)(
  'an answer to the %s token is for one user at one hirer',
  (token) => {
    const cache = new ResponseCache();
    const of = operationWith(token);
    cache.put(of, calledBy(), { status: 200, body: '{"data":{}}', errors: undefined }, 60);
    const has = (change: Partial<typeof member>): boolean => cache.get(of, calledBy(change)) !== undefined;
    expect(has({})).toBe(true);
    expect([{ hirerId: 'seek:org:other' }, { userId: 'bob' }].filter(has)).toEqual([]);
  },
);

test('what users share, machines share with each other alone: an answer to one is for no user', () => {
  const of = callOf(registerAs('seconds: 60, shared: true'), { bytes: Buffer.from('{}'), token: 'partner' });
  const callers = {
    machine: { isMachine: true },
    other: { userId: 'm2', isMachine: true },
    user: {},
    bob: { userId: 'bob' },
  };
  const readersOf = (writer: keyof typeof callers): string[] => {
    const cache = new ResponseCache();
    cache.put(of, calledBy(callers[writer]), { status: 200, body: '{"data":{}}', errors: undefined }, 60);
    return Object.entries(callers)
      .filter(([, change]) => cache.get(of, calledBy(change)))
      .map(([name]) => name);
  };
  expect([readersOf('machine'), readersOf('user')]).toEqual([
    ['machine', 'other'],
    ['user', 'bob'],
  ]);
});

test('what is kept of an answer that was one of an array keeps nothing of the others in memory', () => {
  const cache = new ResponseCache();
  const array = Buffer.concat([Buffer.alloc(4 * MB, 'x'), Buffer.from('{"data":{"ok":true}}')]);
  const body = array.subarray(4 * MB);
  cache.put(operation, calledBy(), { status: 200, body, errors: undefined }, 60);
  const kept = cache.get(operation, calledBy())!.body as Buffer;
  expect(kept.toString()).toBe('{"data":{"ok":true}}');
  expect(kept.buffer.byteLength).toBe(kept.length);
});

test('a wall clock that is set back an hour does not make an answer last', () => {
  const cache = new ResponseCache();
  const [wallMs, steadyMs] = [Date.now(), performance.now()];
  cache.put(operation, calledBy(), { status: 200, body: Buffer.from('{"data":{}}'), errors: undefined }, 60);
  jest.spyOn(Date, 'now').mockImplementation(() => wallMs - 3_600_000);
  jest.spyOn(performance, 'now').mockImplementation(() => steadyMs + 61_000);
  const kept = cache.get(operation, calledBy());
  jest.restoreAllMocks();
  expect(kept).toBeUndefined();
});
