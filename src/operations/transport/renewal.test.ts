import { mayRenew, readShape } from './graphql-result.js';

const REFUSED = { message: 'Log in again.', extensions: { code: 'UNAUTHENTICATED' } };
const at = (...path: unknown[]) => ({ ...REFUSED, path });
const renews = (type: 'query' | 'mutation', answer: string | object): boolean => {
  const body = Buffer.from(typeof answer === 'string' ? answer : JSON.stringify(answer));
  const { errors } = readShape(body)!;
  return mayRenew({ type, rootKeys: ['a', 'b'] }, { status: 200, body, errors });
};

test.each<[string, string | object, boolean, boolean]>([
  ['the whole is refused', { errors: [REFUSED] }, true, true],
  ['each root is refused', { errors: [at('a'), at('b')], data: { a: null, b: null } }, true, true],
  ['one root is refused, and of the other nothing is said', { errors: [at('a')], data: null }, true, false],
  ['a root was carried out', { errors: [at('a'), at('b')], data: { a: null, b: { id: 1 } } }, true, false],
  [
    'a root was carried out in data that is given twice',
    '{"data":{"a":1},"errors":[{"extensions":{"code":"UNAUTHENTICATED"}}],"data":null}',
    true,
    false,
  ],
  ['a field below a root is refused', { errors: [at('a', 'x'), at('b')], data: null }, true, false],
  ['there is another error', { errors: [REFUSED, { message: 'No.' }], data: null }, true, false],
  [
    'the word is in the data alone',
    { errors: [{ message: 'No.' }], data: { a: 'UNAUTHENTICATED' } },
    false,
    false,
  ],
  ['the errors are no JSON', '{"errors":[{"extensions":{"code":"UNAUTHENTICATED"}},x]}', false, false],
  ['there are more errors than are read', { errors: Array(1_000).fill(REFUSED) }, false, false],
  [
    'there are more members than are read',
    {
      errors: [REFUSED],
      data: Object.fromEntries(Array.from({ length: 10_001 }, (_, n) => [`k${n}`, null])),
    },
    true,
    false,
  ],
])('where %s', (_, answer, query, mutation) => {
  expect([renews('query', answer), renews('mutation', answer)]).toEqual([query, mutation]);
});
