import { usedHeapBytes } from '../../../test/support/machine.js';
import { AnalyzedDocuments, findRuleBreaks } from './analyzed-document.js';
import { BREAKS_MAX } from './document-walk.js';

const LIMITS = {
  DOCUMENT_TOKENS_MAX: 3_000,
  DOCUMENT_DEPTH_MAX: 20,
};
const list = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');

let documents: AnalyzedDocuments;
beforeEach(() => {
  documents = new AnalyzedDocuments(LIMITS);
});

test.each<[string, (name: string) => [text: string, operationName: string | undefined]]>([
  ['names of operations', (name) => ['{ version }', name]],
  ['texts', (name) => [`{ hiringOrganization } #${name}`, undefined]],
])('the memory of long %s is bounded, and labels keep nothing of them', (_what, toText) => {
  const before = usedHeapBytes();
  const kept: unknown[] = [];
  for (let index = 0; index < 400; index += 1) {
    const name = JSON.parse(`"${index}${'n'.repeat(180_000)}"`) as string; // a text of its own
    try {
      kept.push(documents.find(...toText(name)).label);
    } catch {
      kept.push(undefined); // refused, which is remembered
    }
  }
  expect(usedHeapBytes() - before).toBeLessThan(40_000_000);
  expect(kept).toHaveLength(400);
  expect(documents.find('{ version }', undefined).label).toBe('query { version }');
});

describe('AnalyzedDocuments', () => {
  test('judges the operation that is asked for, and the fragments it reaches', () => {
    const text = `
      query A($a: Int) { ...F }
      mutation B { b(x: 1) }
      fragment F on T { f(a: $a) { ...G } }
      fragment G on T { g(y: "s") }
      fragment H on T { h(z: 1) }`;
    const a = documents.find(text, 'A');
    expect([a.type, [...a.arguments.optional]]).toEqual(['query', [['a', 'f(a:)']]]);
    expect([...a.arguments.inlined]).toEqual(['g(y:)']);
    const b = documents.find(text, 'B');
    expect([b.type, b.arguments.inlined.size]).toEqual(['mutation', 1]);
  });

  test('a limit that one operation exceeds does not affect the others', () => {
    const text = `query Small { a } query Deep { ${'a {'.repeat(30)} b ${'}'.repeat(30)} }`;
    expect(documents.find(text, 'Small').rootKeys).toEqual(['a']);
    expect(() => documents.find(text, 'Deep')).toThrow('invalid_request');
  });

  test.each([
    ['operations of one name', 'query A { a } query A { b }', 'A'],
    ['fragments of one name', '{ ...F } fragment F on T { a } fragment F on T { b }', undefined],
    ['an anonymous operation beside another', '{ a } query A { b }', 'A'],
    ['fragments that are not there', '{ ...F }', undefined],
    [
      'fragments that spread each other',
      '{ ...F } fragment F on T { ...G } fragment G on T { ...F }',
      undefined,
    ],
  ])('%s are refused', (_, text, name) => {
    expect(() => documents.find(text, name)).toThrow('invalid_request');
  });

  test.each(['short', `long ${'x'.repeat(10_000)}`])(
    'a %.5s text and its name are never taken for others',
    (comment) => {
      const text = `query B { b } #${comment}`;
      const asked = (): void => {
        expect(documents.find(text, 'B').rootKeys).toEqual(['b']);
      };
      const refused = (): void => {
        expect(() => documents.find(`B${text}`, undefined)).toThrow('invalid_request');
        expect(() => documents.find(text, '')).toThrow('invalid_request');
      };
      asked();
      refused();
      documents = new AnalyzedDocuments(LIMITS);
      refused();
      asked();
    },
  );

  test('what is remembered stays within its bound, for any texts', () => {
    const bytesMax = 1_000_000;
    documents = new AnalyzedDocuments(LIMITS, bytesMax);
    for (let seed = 0; seed < 300; seed += 1) {
      const long = `n${'x'.repeat(100)}${seed}`;
      const variables = list(200, (n) => `$v${n}:I`);
      documents.find(`query (${variables}) { ${long}(${list(200, (n) => `a${n}: $v${n}`)}) }`, undefined);
      expect(() => documents.find(`{ ${long} `.repeat(50), undefined)).toThrow('invalid_request');
      expect(() => documents.find('{ a }', 'x'.repeat(1_000) + seed)).toThrow('invalid_request');
      expect(documents['known'].calculatedSize).toBeLessThanOrEqual(bytesMax);
    }
    expect(documents['known'].calculatedSize).toBeGreaterThan(bytesMax / 2);
  });
});

describe('breaks of the rules', () => {
  test('are counted up to a bound, in sentences of bounded length', () => {
    const long = 'x'.repeat(2_000);
    const inlined = list(50, (n) => `${long}${n}: 1`);
    const { arguments: use } = documents.find(
      `query ($${long}: I) { f(${inlined}) g(a: $${long}) }`,
      undefined,
    );
    expect(use.inlined.size).toBe(1); // alike once they are cut
    const many = documents.find(`{ f(${list(100, (n) => `a${n}: 1`)}) }`, undefined).arguments;
    let deep: Record<string, unknown> = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, index) => [`${long}${index}`, null]),
    );
    for (let level = 0; level < 50; level += 1) deep = { [long]: [deep] };
    for (const breaks of [
      findRuleBreaks(use, { [long]: deep }),
      findRuleBreaks(many, { deep, list: [deep] }),
    ]) {
      expect(breaks).toHaveLength(BREAKS_MAX);
      for (const sentence of breaks) expect(sentence.length).toBeLessThan(600);
    }
  });
});
