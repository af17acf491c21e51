import { ResponseCache } from './response-cache.js';
import { BrowserCredential } from './credential.js';
import { compileOperation } from '../operations/compile-operation.js';
import { RegisteredOperation } from '../operations/registered-operation.js';
import type { Task } from './task.js';

const MB = 1_048_576;
const compiled = compileOperation(
  'query Kept($id: String!) @cache(seconds: 60) { ok(id: $id) }',
  'kept.graphql',
);
const registered = new RegisteredOperation(compiled, () => {
  throw new Error('needs no guard');
});
const task: Task = { index: 0, bytes: Buffer.from('{}'), type: 'query', rootKeys: ['ok'], registered };
const credential = new BrowserCredential(
  undefined as never,
  { hirerId: 'seek:org:acme', userId: 'ada', scopes: [] },
  () => undefined,
);

test('what is kept of an answer that was one of an array keeps nothing of the others in memory', () => {
  const cache = new ResponseCache();
  const array = Buffer.concat([Buffer.alloc(4 * MB, 'x'), Buffer.from('{"data":{"ok":true}}')]);
  const body = array.subarray(4 * MB);
  cache.put(task, credential, 'en', { status: 200, body, hasErrors: false });
  const kept = cache.get(task, credential, 'en')!.body as Buffer;
  expect(kept.toString()).toBe('{"data":{"ok":true}}');
  expect(kept.buffer.byteLength).toBe(kept.length);
});
