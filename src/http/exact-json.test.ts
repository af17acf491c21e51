import { parseExact } from './exact-json.js';

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

test.each(['{1.50:2}', '[1.50.5]', '[01.50]', '[1.50', '["1.50]', '[1.50"a"]', '[1.e5]', '[-1.5-]', ''])(
  '%j is no JSON',
  (text) => {
    expect(() => parseExact(text)).toThrow(SyntaxError);
  },
);

/** Milliseconds of the fastest of some runs. */
function timeOf(work: () => unknown): number {
  const times = Array.from({ length: 5 }, () => {
    const startedAt = performance.now();
    work();
    return performance.now() - startedAt;
  });
  return Math.min(...times);
}

test.each(['1.5', '1.50', '1', '[]', '{}', '""', '"\\\\\\""', '{"a":{"b":[1e5]}}'])(
  'a megabyte of %s with a delicate number costs a small multiple of what JSON.parse takes',
  (unit) => {
    const text = `[${`${unit},`.repeat(Math.floor(1e6 / (unit.length + 1)))}2.50]`;
    timeOf(() => JSON.parse(text));
    expect(timeOf(() => parseExact(text))).toBeLessThan(
      20 *
        Math.max(
          20,
          timeOf(() => JSON.parse(text)),
        ),
    );
  },
);
