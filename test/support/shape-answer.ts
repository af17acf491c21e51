import { compileOperation } from '../../src/operations/compile/compile-operation.js';
import { RegisteredOperation } from '../../src/operations/registered-operation.js';
import type { GraphqlResult, Outcome } from '../../src/operations/transport/graphql-result.js';

/** What the hirer `own` gets of the upstream's answer to an operation; links of files are sealed by name. */
export function shape(text: string, answer: unknown): Promise<Outcome> {
  const body = typeof answer === 'string' ? answer : JSON.stringify(answer);
  const result: GraphqlResult = { status: 200, body, errors: undefined };
  const operation = new RegisteredOperation(compileOperation(text, 'test'), () => {
    throw new Error('no guard');
  });
  return operation.answers.shape(result, {
    hirerId: 'own',
    mapText: (url) => `sealed ${url}`,
    onRemoved: () => undefined,
  });
}
