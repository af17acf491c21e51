import type { Context } from './context.js';
import { graphqlError } from './errors.js';

/** The last check of every mutation, after its input: a read-only playground stops here (interface 16). */
export function assertStateful({ switches }: Context): void {
  if (switches.mutations === 'stateful') return;
  throw graphqlError('FORBIDDEN', 'The playground is read-only. The input of the mutation is valid.');
}
