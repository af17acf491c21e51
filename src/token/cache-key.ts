import { hash } from 'node:crypto';

/**
 * One text for a tuple of texts, equal exactly when the tuples are: each part is preceded by its length, so that no
 * two tuples can be confused.
 */
export function tupleKey(parts: readonly string[]): string {
  let key = '';
  for (const part of parts) key += `${part.length}:${part}`;
  return key;
}

/** The key under which replicas share the tuple's value: its SHA-256, so that the store holds no identifier. */
export function sharedKey(kind: string, parts: readonly string[]): string {
  return sharedTupleKey(kind, tupleKey(parts));
}

/** The same for a tuple that is already one text. */
export function sharedTupleKey(kind: string, tuple: string): string {
  return `${kind}:${hash('sha256', tuple)}`;
}
