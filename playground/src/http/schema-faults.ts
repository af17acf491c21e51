import type { FastifySchemaValidationError } from 'fastify';

/** What is wrong with the body of a request, as a sentence that names the member at fault. */
export function sentenceOf([fault]: FastifySchemaValidationError[]): Error {
  const { keyword, instancePath, params, message } = fault!;
  const member = instancePath.slice(1).replaceAll('/', '.') || 'The body';
  switch (keyword) {
    case 'additionalProperties':
      return new Error(`${String(params['additionalProperty'])} is not known.`);
    case 'required':
      return new Error(`${String(params['missingProperty'])} is required.`);
    case 'enum':
      return new Error(`${member} is one of ${(params['allowedValues'] as string[]).join(', ')}.`);
    default:
      return new Error(`${member} ${String(message)}.`);
  }
}
