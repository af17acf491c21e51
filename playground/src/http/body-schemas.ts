import type { FastifySchemaValidationError } from 'fastify';

/** A fault as ajv tells it when it is verbose: with the schema that was broken. */
type VerboseFault = FastifySchemaValidationError & {
  readonly parentSchema: { readonly properties?: object };
};

/** What is wrong with the body of a request, as a sentence that names the member at fault. */
export function sentenceOf([fault]: FastifySchemaValidationError[]): Error {
  const { keyword, instancePath, params, message, parentSchema } = fault as VerboseFault;
  const known = Object.keys(parentSchema.properties ?? {}).join(', ');
  const member = instancePath.slice(1).replaceAll('/', '.') || 'The body';
  switch (keyword) {
    case 'additionalProperties':
      return new Error(`${String(params['additionalProperty'])} is not known; the properties are ${known}.`);
    case 'required':
      return new Error(`${String(params['missingProperty'])} is required.`);
    case 'enum':
      return new Error(`${member} is one of ${(params['allowedValues'] as string[]).join(', ')}.`);
    default:
      return new Error(`${member} ${String(message)}.`);
  }
}

/** How JSON Schema has the members that several controls take. */
export const TEXT = { type: 'string' };
/** A list of texts. */
export const TEXTS = { type: 'array', items: TEXT };
/** How many things a control makes at once, or how often something happens. */
export const COUNT = { type: 'integer', minimum: 0, maximum: 10_000 };
/** A wait in milliseconds that Node's timers accept. */
export const WAIT_MS = { type: 'number', minimum: 0, maximum: 2 ** 31 - 1 };
