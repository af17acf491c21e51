import type { GateEntry } from '../hirer-access/membership-gate.js';
import { RequestContext } from '../http/request-context.js';
import { compileOperation } from './compile/compile-operation.js';
import { callOf, operationOf, refusalsNow, type Operation } from './operation.js';
import { RegisteredOperation } from './registered-operation.js';

const registered = (text: string): RegisteredOperation =>
  new RegisteredOperation(compileOperation(text, 'test'), () => undefined as never);
const full = registered('query Full @role(any: ["full"]) { version }');
const few = registered('query Few @role(any: ["full", "few"]) { version }');
const owner = registered('query Owner { version }');
const text = { index: 0, bytes: Buffer.alloc(0), type: 'query', rootKeys: [], label: '' } as const;

const before = { roles: ['full'], scopes: ['a', 'b'] };

/** The code of the refusal of each after a wait, for a user whose membership was {@link before}. */
async function judge(now: GateEntry, operations: readonly Operation[], hasWaited = true) {
  const context = Object.assign(RequestContext.background(), {
    user: { userId: 'ada' },
    member: { hirerId: 'h', userId: 'ada', ...before },
  });
  context.hasWaited = hasWaited;
  const refusals = await refusalsNow(operations, context, { enter: () => now });
  return operations.map((_, place) => refusals[place]?.code);
}

test('after a wait, a call is judged by the roles that the member has now, and a guard by the call that it guards', async () => {
  const guard = (guarded: RegisteredOperation) => callOf(owner, { guarded, token: 'partner' });
  const now = { roles: ['few'], scopes: [] };
  const calls = [callOf(full, {}), callOf(few, {}), guard(full), guard(few)];
  expect(await judge(now, calls)).toEqual(['scope_forbidden', undefined, 'scope_forbidden', undefined]);
  expect(await judge(now, calls, false)).toEqual([undefined, undefined, undefined, undefined]);
  expect(await judge(before, calls)).toEqual([undefined, undefined, undefined, undefined]);
});

test('what went with a browser token is refused once the member has lost one of its scopes', async () => {
  const sent = (['browser', 'partner'] as const).map((token) => operationOf({ ...text, token }));
  expect(await judge({ ...before, scopes: ['a'] }, sent)).toEqual(['scope_forbidden', undefined]);
  expect(await judge({ ...before, scopes: ['b', 'a', 'c'] }, sent)).toEqual([undefined, undefined]);
});

test('work without a caller has nobody to judge', async () => {
  const context = Object.assign(RequestContext.background(), {
    member: { hirerId: 'h', userId: 'x', ...before },
  });
  context.hasWaited = true;
  const nobody = { enter: () => ({ roles: [], scopes: [] }) };
  expect(await refusalsNow([callOf(full, {})], context, nobody)).toEqual([]);
});
