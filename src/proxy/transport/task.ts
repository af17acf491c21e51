import type { RegisteredOperation } from '../operations/registered-operation.js';

/** One operation on its way upstream. */
export interface Task {
  /** Its place in the request. */
  readonly index: number;
  /** What is sent: the caller's own bytes, or the registered operation with its variables. */
  readonly bytes: Buffer;
  readonly type: 'query' | 'mutation';
  readonly rootKeys: readonly string[];
  readonly registered?: RegisteredOperation | undefined;
}
