import type { Answers } from './workers.js';

/**
 * The variable by which the primary tells a worker its number, from 1, how many there are, and the id of this start of
 * the service: `2/4/1b4e28ba`. No setting.
 */
export const WORKER_VARIABLE = 'BFF_WORKER';

/** What a worker tells the primary. */
export type FromWorker =
  | { readonly type: 'serving'; readonly publicUrl: string; readonly opsUrl: string }
  | { readonly type: 'failed'; readonly message: string }
  | {
      readonly type: 'ask';
      readonly id: number;
      readonly name: string;
      readonly timeoutMs: number;
      readonly argument: unknown;
    }
  | { readonly type: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly type: 'no answer'; readonly id: number };

/** What the primary tells a worker. */
export type FromPrimary =
  | { readonly type: 'question'; readonly id: number; readonly name: string; readonly argument: unknown }
  | { readonly type: 'answers'; readonly id: number; readonly answers: Answers<unknown> };
