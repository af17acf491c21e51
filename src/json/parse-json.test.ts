import { countValues, parseExact, parseExactInSteps } from './parse-json.js';

test.each([
  '{"id":9007199254740993,"amount":1.10,"large":1e400,"zero":-0,"text":"1.10"}',
  '[0.1,12345678901234567890.123456789,[-0.0]]',
  '{"a":[{"b":null}],"c":true,"d":1}',
  '{"\\"1.50":"\\\\","b":1.50,"c":"\\\\\\"1.50","__proto__":{"a":2.50}}',
  '1.50',
  '"1.50"',
  '{"a":{"b":[1,{"c":2.50}]},"text":"9007199254740993"}',
  '{"no":"numbers","at":"10:30, 5"}',
])('%s survives the round trip', (text) => {
  expect(JSON.stringify(parseExact(text))).toBe(text);
});

test.each([
  ['1.50', '1.50'],
  ['1E5', '1E5'],
  ['{"a"\n:\t1e+5,"at":"10:30:34.5"}', '{"a":1e+5,"at":"10:30:34.5"}'],
  [' -0', '-0'],
  ['{"a":1.50}', '{"a":1.50}'],
  ['{"a" :1.50}', '{"a":1.50}'],
  ['{"a":\n-0}', '{"a":-0}'],
  ['[1.10]', '[1.10]'],
  ['[1,9007199254740993]', '[1,9007199254740993]'],
  ['[1 ,\t-1e400]', '[1,-1e400]'],
])('the number of %j alone is kept, wherever it stands', (text, kept) => {
  expect(JSON.stringify(parseExact(text))).toBe(kept);
});

test('the values of a text of thirty mebibytes of escapes are counted', () => {
  expect(countValues(`{"a":"${'\\n'.repeat(15_000_000)}"}`)).toBeGreaterThan(0);
});

test.each(['{"at":"2026-11-26T21:42:34.123Z"}', '["in 2026. At 10:30"]', '{"a":1}'])(
  '%j is read once',
  (text) => {
    expect(parseExactInSteps(text).next().done).toBe(true);
  },
);

test.each(['{1.50:2}', '[1.50.5]', '[01.50]', '[1.50', '["1.50]', '[1.50"a"]', '[1.e5]', '[-1.5-]', ''])(
  '%j is no JSON',
  (text) => {
    expect(() => parseExact(text)).toThrow(SyntaxError);
  },
);

test.each(['1.5', '1.50', '1', '[]', '{}', '""', '"\\\\\\""', '{"a":{"b":[1e5]}}'])(
  'a megabyte of %s with a delicate number costs a small multiple of what JSON.parse takes',
  (unit) => {
    const text = `[${`${unit},`.repeat(Math.floor(1e6 / (unit.length + 1)))}2.50]`;
    const ordinaryMs = Math.max(20, leastMs(JSON.parse, text));
    expect(leastMs(parseExact, text)).toBeLessThan(20 * ordinaryMs);
  },
);

test.each(['[2.50', '{"a":2.50'])(
  'a mebibyte of numbers after %s, which no comma parts, is refused at once',
  (start) => {
    const text = start + ' 1'.repeat(500_000);
    const refuse = (): void => expect(() => parseExact(text)).toThrow(SyntaxError);
    expect(leastMs(refuse, text)).toBeLessThan(20);
  },
);

/** Processor time of the quickest of three runs, which others on the machine disturbed least. */
function leastMs(work: (text: string) => unknown, text: string): number {
  const runs = [1, 2, 3].map(() => {
    const before = process.threadCpuUsage();
    work(text);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.min(...runs);
}
