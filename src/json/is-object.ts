import type {} from './exact-json.js';

/** True if a JSON value is an object; a number that is kept as raw text is not. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}
