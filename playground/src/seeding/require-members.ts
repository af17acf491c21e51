import { Ajv } from 'ajv';
import { sentenceOf } from '../http/body-schemas.js';

/** A fault in something to seed: the message says what is wrong and what to do. */
export class SeedError extends RangeError {
  constructor(method: string, what: string) {
    super(`seed.${method}: ${what}`);
  }
}

const ajv = new Ajv({ verbose: true });

/** A check of wishes by the schemas of their members: tests in JavaScript have no compiler that finds a misspelt one. */
export function checkOf(method: string, properties: object, required: readonly string[]) {
  const check = ajv.compile({ type: 'object', additionalProperties: false, required, properties });
  return (wish: object): void => {
    if (!check(wish)) throw new SeedError(method, sentenceOf(check.errors!).message);
  };
}
