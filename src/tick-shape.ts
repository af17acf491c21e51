import { executionAsyncResource } from 'node:async_hooks';

/** One of the objects that `process.nextTick` makes. */
const kept: object[] = [];

/**
 * Keeps one tick of `process.nextTick` for as long as the process lives. V8 forgets the shape of an object when none is
 * left during a few full collections, and does not learn it again at that place: each later tick would cost six times as
 * much, and a request makes a dozen (ADR 0004). Call it before anything else runs: an older version of Node.js has to
 * read this file, too.
 */
export function keepTickShape(): void {
  process.nextTick(() => kept.push(executionAsyncResource()));
}
