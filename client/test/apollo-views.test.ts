import { readFileSync } from 'node:fs';
import { ObservableQuery } from '@apollo/client';

/** Subscriptions are refused by the link, whatever hirer they name. */
const REFUSED = ['subscribeToMore'];
/** Overridden by `guard` of `client/src/apollo.ts`. */
const GUARDED = ['applyOptions', 'fetchMore', 'reobserve'];

/** The public methods of a class in a declaration file, each with its parameters. */
function methodsOf(file: string): [name: string, parameters: string][] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/^ {4}(\w+)(?:<.*?>)?\(([^]*?)\): /gm)].map(([, name, parameters]) => [
    name!,
    parameters!,
  ]);
}

test('a view of Apollo Client takes options, and so a context, by the methods that are guarded alone', () => {
  const methods = methodsOf('node_modules/@apollo/client/core/ObservableQuery.d.ts');
  const taking = methods.filter(([, parameters]) => /\bObservableQuery\.\w*Options\b/.test(parameters));
  expect(taking.map(([name]) => name).sort()).toEqual([...GUARDED, ...REFUSED].sort());
});

test.each(GUARDED)('%s is a method that the class has, to be overridden', (name) => {
  expect(Object.hasOwn(ObservableQuery.prototype, name)).toBe(true);
});
