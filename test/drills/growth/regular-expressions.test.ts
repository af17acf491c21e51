import { expressionsIn, type Expression, growsLinearly, leastMs, grown, hostileInputs } from './growth.js';

/** Long enough that superlinear work shows; the short one is for exponential work, which would never end on the long. */
const SCREENING_CHARACTERS = [22, 300, 4_000];
const SCREENING_MS = 1;

/** These read what this service or its operator wrote, never a caller's text. */
const NOT_FROM_OUTSIDE = ['src/config/', 'src/storage/migrate.ts'];

function use({ expression, splits }: Expression): (text: string) => unknown {
  if (splits) return (text) => text.split(expression);
  if (expression.global) return (text) => text.replaceAll(expression, '');
  return (text) => {
    expression.lastIndex = 0;
    return expression.test(text);
  };
}

/** The first hostile input on which the work of an expression grows faster than its text. */
function superlinear(one: Expression): string | undefined {
  const work = use(one);
  for (const input of hostileInputs(one)) {
    const slowAt = SCREENING_CHARACTERS.find((characters) => isSlow(work, grown(input, characters)));
    if (slowAt === undefined) continue;
    const grows =
      slowAt < SCREENING_CHARACTERS.at(-1)! || !growsLinearly(work, (characters) => grown(input, characters));
    if (grows) return JSON.stringify(input);
  }
  return undefined;
}

/** Tried once, and again only where that once was slow. */
function isSlow(work: (text: string) => unknown, text: string): boolean {
  return leastMs(work, text, 1) >= SCREENING_MS && leastMs(work, text) >= SCREENING_MS;
}

const expressions = expressionsIn('src').filter(
  ({ file }) => !NOT_FROM_OUTSIDE.some((place) => file.startsWith(place)),
);

describe('a regular expression that meets input takes time linear in its length', () => {
  test.each(expressions.map((one) => [one.file, String(one.expression), one] as const))(
    '%s %s',
    (_file, _literal, one) => expect(superlinear(one)).toBeUndefined(),
  );
});

test.each([
  [/\beyJ[\w-]{5,}\.[\w-]*(\.[\w-]*){0,3}/g],
  [/\s+$/],
  [/^(a+)+$/],
  [/^\s*([\w-]+)\s*=\s*(.+?)\s*$/],
  [/;\s*charset=\s*\s*x/],
])('%s would be found', (expression) => {
  expect(superlinear({ file: '', expression, splits: false })).toEqual(expect.any(String));
});
